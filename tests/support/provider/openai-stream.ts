import type { EventSink } from './play.ts';
import type { ProviderRequest } from './request.ts';
import type { Step } from './script.ts';
import { estimateUsage } from './usage.ts';

/** Speaks OpenAI's chat-completions stream: `data:` lines of chunks, a usage chunk on demand, `[DONE]`. */
export function openAiSink(
  request: ProviderRequest,
  steps: readonly Step[],
  write: (text: string) => void,
): EventSink {
  let tools = 0;
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: request.model };
  const event = (data: unknown) => write(`data: ${JSON.stringify(data)}\n\n`);
  const delta = (content: Record<string, unknown>, finish: string | null = null) =>
    event({ ...head, choices: [{ index: 0, delta: content, finish_reason: finish }] });

  return {
    start: () => delta({ role: 'assistant', content: '' }),
    ping: () => write(': keep-alive\n\n'),
    error: (error) => event({ error }),
    event,
    text: (text) => delta({ content: text }),
    reasoning: (text, field) => delta({ [field ?? 'reasoning_content']: text }),
    signature: () => {},
    redactedThinking: () => {},
    toolCall: ({ id, name, index = tools, arguments: fragments }) => {
      tools += 1;
      const [first = '', ...rest] = fragments;
      const call = { index, id, type: 'function', function: { name, arguments: first } };
      delta({ tool_calls: [call] });
      for (const text of rest) delta({ tool_calls: [{ index, function: { arguments: text } }] });
    },
    finish: (reason) => {
      if (reason !== null) delta({}, reason ?? (tools > 0 ? 'tool_calls' : 'stop'));
      if (request.body.stream_options?.include_usage) {
        const usage = estimateUsage(request, steps);
        const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
        event({
          ...head,
          choices: [],
          usage: {
            prompt_tokens: prompt,
            completion_tokens: usage.output,
            total_tokens: prompt + usage.output,
            prompt_tokens_details: { cached_tokens: usage.cacheRead },
            completion_tokens_details: { reasoning_tokens: usage.reasoning },
          },
        });
      }
      write('data: [DONE]\n\n');
    },
  };
}
