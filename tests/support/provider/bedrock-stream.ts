import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { EventSink } from './play.ts';
import type { ProviderRequest } from './request.ts';
import type { Step } from './script.ts';
import { estimateUsage } from './usage.ts';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

function frame(kind: 'event' | 'exception', name: string, payload: unknown): Uint8Array {
  const text = (value: string) => ({ type: 'string' as const, value });
  return codec.encode({
    headers: {
      [`:${kind}-type`]: text(name),
      ':content-type': text('application/json'),
      ':message-type': text(kind),
    },
    body: Buffer.from(JSON.stringify(payload), 'utf8'),
  });
}

/** Speaks Bedrock's ConverseStream: binary frames with checksums, of blocks as Anthropic's. */
export function bedrockSink(
  request: ProviderRequest,
  steps: readonly Step[],
  write: (chunk: Uint8Array) => void,
): EventSink {
  const usage = estimateUsage(request, steps);
  let contentBlockIndex = -1;
  let open: string | undefined;
  let tools = 0;

  // `p` pads a frame, so that its length tells nothing of what is in it.
  const event = (name: string, payload: object) => write(frame('event', name, { ...payload, p: 'abcdefgh' }));
  const close = () => {
    if (open !== undefined) event('contentBlockStop', { contentBlockIndex });
    open = undefined;
  };
  const begin = (kind: string) => {
    if (open === kind && kind !== 'toolUse') return;
    close();
    contentBlockIndex += 1;
    open = kind;
  };
  const delta = (content: object) => event('contentBlockDelta', { contentBlockIndex, delta: content });

  return {
    start: () => event('messageStart', { role: 'assistant' }),
    ping: () => {},
    error: ({ type, message }) => {
      const known = typeof type === 'string' && type.endsWith('Exception');
      write(frame('exception', known ? type : 'serviceUnavailableException', { message }));
    },
    event: (data) => {
      for (const [name, payload] of Object.entries(data as object)) event(name, payload);
    },
    text: (text) => {
      begin('text');
      delta({ text });
    },
    reasoning: (text) => {
      begin('reasoning');
      delta({ reasoningContent: { text } });
    },
    signature: (signature) => {
      delta({ reasoningContent: { signature } });
      close();
    },
    redactedThinking: (data) => {
      begin('redacted');
      delta({ reasoningContent: { redactedContent: data } });
      close();
    },
    toolCall: ({ id, name, arguments: fragments }) => {
      tools += 1;
      begin('toolUse');
      event('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } });
      for (const input of fragments) delta({ toolUse: { input } });
    },
    finish: (reason) => {
      close();
      event('messageStop', { stopReason: reason ?? (tools > 0 ? 'tool_use' : 'end_turn') });
      event('metadata', {
        usage: {
          inputTokens: usage.input,
          outputTokens: usage.output,
          totalTokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
          cacheReadInputTokens: usage.cacheRead,
          cacheWriteInputTokens: usage.cacheWrite,
        },
        metrics: { latencyMs: 1 },
      });
    },
  };
}
