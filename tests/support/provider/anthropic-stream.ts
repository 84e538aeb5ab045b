import type { EventSink } from './play.ts';
import type { ProviderRequest } from './request.ts';
import type { Step } from './script.ts';
import { estimateUsage } from './usage.ts';

/** Speaks Anthropic's messages stream: message_start, blocks with deltas, message_delta, message_stop. */
export function anthropicSink(
  request: ProviderRequest,
  steps: readonly Step[],
  write: (text: string) => void,
): EventSink {
  const usage = estimateUsage(request, steps);
  let index = -1;
  let open: string | undefined;
  let tools = 0;

  const event = (data: unknown) => {
    const type = (data as { type?: string }).type;
    write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`);
  };
  const close = () => {
    if (open !== undefined) event({ type: 'content_block_stop', index });
    open = undefined;
  };
  const begin = (block: { type: string }) => {
    close();
    index += 1;
    open = block.type;
    event({ type: 'content_block_start', index, content_block: block });
  };
  const delta = (content: Record<string, unknown>) =>
    event({ type: 'content_block_delta', index, delta: content });

  return {
    start: () =>
      event({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: usage.input,
            cache_read_input_tokens: usage.cacheRead,
            cache_creation_input_tokens: usage.cacheWrite,
            output_tokens: 1,
          },
        },
      }),
    ping: () => event({ type: 'ping' }),
    error: (error) => event({ type: 'error', error }),
    event,
    text: (text) => {
      if (open !== 'text') begin({ type: 'text', text: '' } as { type: string });
      delta({ type: 'text_delta', text });
    },
    reasoning: (text) => {
      if (open !== 'thinking') begin({ type: 'thinking', thinking: '', signature: '' } as { type: string });
      delta({ type: 'thinking_delta', thinking: text });
    },
    signature: (signature) => {
      delta({ type: 'signature_delta', signature });
      close();
    },
    redactedThinking: (data) => {
      begin({ type: 'redacted_thinking', data } as { type: string });
      close();
    },
    toolCall: ({ id, name, arguments: fragments }) => {
      tools += 1;
      begin({ type: 'tool_use', id, name, input: {} } as { type: string });
      for (const text of fragments) delta({ type: 'input_json_delta', partial_json: text });
    },
    finish: (reason) => {
      close();
      const stop = reason === undefined ? (tools > 0 ? 'tool_use' : 'end_turn') : reason;
      event({
        type: 'message_delta',
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { output_tokens: usage.output },
      });
      event({ type: 'message_stop' });
    },
  };
}
