import { fromBinary } from '@bufbuild/protobuf';
import { agent, ENVELOPE_HEADER_BYTES, FLAG_END_STREAM, type tandem } from '@tandem/proto';

/** What a turn asked of its client to do, such as to read a file. */
export interface Asked {
  readonly id: number;
  /** The kind of request, by the wire's name without its ending: `read`, `shell_stream`, `mcp`. */
  readonly tool: string;
}

/** How an exchange with a client ended. */
export type ExchangeEnd = 'answered' | 'thrown' | 'closed';

const REQUEST_ENDING = /_(args|request)$/;
const EXECS = agent.ExecServerMessageSchema.oneofs.find(({ name }) => name === 'message')?.fields ?? [];
const TOOLS = new Map<string, string>(
  EXECS.map(({ localName, name }) => [localName, name.replace(REQUEST_ENDING, '')]),
);

/** All names that `Asked.tool` may have. */
export const EXCHANGE_TOOLS: readonly string[] = [...new Set(TOOLS.values())];

/** The first byte of a message whose only content is an exec request. */
const EXEC_TAG = 8 * (agent.AgentServerMessageSchema.field.execServerMessage?.number ?? 0) + 2;

/** The request that an item of the journal puts to the client, if it is one. Other frames are not decoded. */
export function askedBy({ kind }: tandem.Item): Asked | undefined {
  if (kind.case !== 'frame') return undefined;
  const frame = kind.value;
  if (((frame[0] ?? 0) & FLAG_END_STREAM) !== 0 || frame[ENVELOPE_HEADER_BYTES] !== EXEC_TAG)
    return undefined;
  const { message } = fromBinary(agent.AgentServerMessageSchema, frame.subarray(ENVELOPE_HEADER_BYTES));
  if (message.case !== 'execServerMessage' || !message.value.message.case) return undefined;
  return { id: message.value.id, tool: TOOLS.get(message.value.message.case) ?? message.value.message.case };
}

/** The exchange that a client's message ends, if it ends one. A shell that tells what it writes goes on. */
export function endedBy({
  message,
}: agent.AgentClientMessage): { readonly id: number; readonly end: ExchangeEnd } | undefined {
  if (message.case === 'execClientMessage') {
    const { id, message: answer } = message.value;
    if (answer.case === 'shellStream' && !endsShell(answer.value)) return undefined;
    return { id, end: 'answered' };
  }
  if (message.case !== 'execClientControlMessage') return undefined;
  const control = message.value.message;
  if (control.case === 'throw') return { id: control.value.id, end: 'thrown' };
  return control.case === 'streamClose' ? { id: control.value.id, end: 'closed' } : undefined;
}

function endsShell({ event }: agent.ShellStream): boolean {
  return !['start', 'stdout', 'stderr', 'hookContext', undefined].includes(event.case);
}
