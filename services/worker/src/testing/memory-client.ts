import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  Assembler,
  appendMessage,
  commandSubject,
  type Dispatcher,
  decodeEntry,
  type Entropy,
  isEndStream,
  journalSubject,
  type Log,
  type TurnKey,
  turnKey,
} from '@tandem/actor-core';
import type { VirtualClock } from '@tandem/actor-core/testing';
import { agent, ENVELOPE_HEADER_BYTES, encodeHex, tandem } from '@tandem/proto';

type ClientMessage = MessageInitShape<typeof agent.AgentClientMessageSchema>['message'];

interface Deps {
  readonly log: Log;
  readonly clock: VirtualClock;
  readonly dispatcher: Dispatcher;
  readonly entropy: Entropy;
}

/** One run as its client sees it. */
interface Run {
  readonly requestId: string;
  readonly key: TurnKey;
  readonly assembler: Assembler;
  read: number;
  seqno: number;
  text: string;
  ended: boolean;
  completed: boolean;
  readonly onEnd: (run: Run) => void;
}

/** A client without sockets, straight on the logs: it keeps blobs, and opens a nested run for each subagent. */
export class MemoryClient {
  readonly runs: Run[] = [];
  readonly #deps: Deps;
  readonly #blobs = new Map<string, Uint8Array>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get done(): boolean {
    return this.runs.every(({ ended }) => ended);
  }

  /** Begins a run; `onEnd` gets it once its stream has ended. */
  async open(requestId: string, text: string, subagentTypeName?: string, onEnd: Run['onEnd'] = () => {}) {
    const key = turnKey('alice', requestId);
    const run: Run = {
      requestId,
      key,
      assembler: new Assembler(),
      read: 0,
      seqno: 0,
      text: '',
      ended: false,
      completed: false,
      onEnd,
    };
    this.runs.push(run);
    await this.#send(run, {
      case: 'runRequest',
      value: {
        conversationId: `conversation of ${requestId}`,
        subagentTypeName,
        modelDetails: { modelId: 'm' },
        action: { action: { case: 'userMessageAction', value: { userMessage: { text } } } },
      },
    });
    await this.#deps.dispatcher.dispatch(key);
  }

  /** Reads all that is new, and answers it. */
  async poll(): Promise<void> {
    for (const run of [...this.runs]) if (!run.ended) await this.#read(run);
  }

  async #read(run: Run): Promise<void> {
    const records = await this.#deps.log.read(journalSubject(run.key), run.read, 1000);
    for (const record of records) {
      run.read = record.sequence;
      const message = run.assembler.push(record);
      for (const { kind } of message ? decodeEntry(message.payload).items : []) {
        if (kind.case === 'ended') {
          run.ended = true;
          run.completed = kind.value.outcome === tandem.Outcome.COMPLETED;
          run.onEnd(run);
        }
        if (kind.case !== 'frame' || isEndStream(kind.value)) continue;
        const frame = kind.value.subarray(ENVELOPE_HEADER_BYTES);
        await this.#take(run, fromBinary(agent.AgentServerMessageSchema, frame));
      }
    }
  }

  async #take(run: Run, { message }: agent.AgentServerMessage): Promise<void> {
    if (message.case === 'interactionUpdate' && message.value.message.case === 'textDelta') {
      run.text += message.value.message.value.text;
    } else if (message.case === 'kvServerMessage') await this.#answerKv(run, message.value);
    else if (message.case === 'execServerMessage') await this.#answerExec(run, message.value);
  }

  async #answerKv(run: Run, { id, message }: agent.KvServerMessage): Promise<void> {
    if (message.case === 'setBlobArgs') {
      this.#blobs.set(encodeHex(message.value.blobId), message.value.blobData);
      await this.#send(run, {
        case: 'kvClientMessage',
        value: { id, message: { case: 'setBlobResult', value: {} } },
      });
    } else if (message.case === 'getBlobArgs') {
      const value = { blobData: this.#blobs.get(encodeHex(message.value.blobId)) };
      await this.#send(run, {
        case: 'kvClientMessage',
        value: { id, message: { case: 'getBlobResult', value } },
      });
    }
  }

  async #answerExec(run: Run, { id, message }: agent.ExecServerMessage): Promise<void> {
    const answer = (result: MessageInitShape<typeof agent.ExecClientMessageSchema>['message']) =>
      this.#send(run, { case: 'execClientMessage', value: { id, message: result } });
    if (message.case === 'requestContextArgs') {
      const result = { case: 'success', value: { requestContext: {} } } as const;
      await answer({ case: 'requestContextResult', value: { result } });
    } else if (message.case === 'subagentArgs') {
      const agentId = `${run.requestId}-child`;
      await this.open(agentId, message.value.prompt, message.value.subagentType, ({ text }) => {
        const result = { case: 'success', value: { agentId, finalMessage: text } } as const;
        void answer({ case: 'subagentResult', value: { result } });
      });
    }
  }

  async #send(run: Run, message: ClientMessage): Promise<void> {
    const { log, clock, entropy } = this.#deps;
    const { requestId, key } = run;
    const info = create(tandem.RequestInfoSchema, { ownerId: 'alice', originalRequestId: requestId });
    const bytes = toBinary(
      agent.AgentClientMessageSchema,
      create(agent.AgentClientMessageSchema, { message }),
    );
    const value = create(tandem.AppendSchema, { requestId, seqno: BigInt(run.seqno), message: bytes, info });
    run.seqno += 1;
    const payload = toBinary(
      tandem.CommandSchema,
      create(tandem.CommandSchema, { kind: { case: 'append', value } }),
    );
    await appendMessage(log, commandSubject(key), entropy.id(), payload, { clock, retryForMs: 1000 });
  }
}
