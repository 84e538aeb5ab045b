import type { EventSink } from './play.ts';
import type { ProviderRequest } from './request.ts';
import type { Step } from './script.ts';
import { estimateUsage } from './usage.ts';

type Item = { readonly type: string; readonly id: string } & Record<string, unknown>;

/** Speaks OpenAI's Responses stream: items that are added, written and done, and `response.completed`. */
export function responsesSink(
  request: ProviderRequest,
  steps: readonly Step[],
  write: (text: string) => void,
): EventSink {
  let index = -1;
  let open: Item | undefined;
  let sequence = 0;
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: request.model };

  const event = (data: unknown) => {
    const numbered = { ...(data as { type: string }), sequence_number: sequence };
    sequence += 1;
    write(`event: ${numbered.type}\ndata: ${JSON.stringify(numbered)}\n\n`);
  };
  const close = () => {
    if (!open) return;
    if (open.type === 'reasoning') {
      event({
        type: 'response.reasoning_summary_part.done',
        item_id: open.id,
        output_index: index,
        summary_index: 0,
      });
    }
    event({ type: 'response.output_item.done', output_index: index, item: open });
    open = undefined;
  };
  const begin = (item: Omit<Item, 'id'> & { type: string }): Item => {
    close();
    index += 1;
    open = { ...item, id: `${item.type}_${index}` };
    event({ type: 'response.output_item.added', output_index: index, item: open });
    return open;
  };

  return {
    start: () => {
      event({ type: 'response.created', response: { ...head, status: 'in_progress' } });
      event({ type: 'response.in_progress', response: { ...head, status: 'in_progress' } });
    },
    ping: () => write(': keep-alive\n\n'),
    error: (error) => event({ type: 'error', error }),
    event,
    text: (text) => {
      const item =
        open?.type === 'message' ? open : begin({ type: 'message', role: 'assistant', content: [] });
      event({
        type: 'response.output_text.delta',
        item_id: item.id,
        output_index: index,
        content_index: 0,
        delta: text,
        logprobs: [],
      });
    },
    reasoning: (text) => {
      if (open?.type !== 'reasoning') {
        const { id } = begin({ type: 'reasoning', summary: [], encrypted_content: null });
        event({
          type: 'response.reasoning_summary_part.added',
          item_id: id,
          output_index: index,
          summary_index: 0,
        });
      }
      event({
        type: 'response.reasoning_summary_text.delta',
        item_id: open?.id,
        output_index: index,
        summary_index: 0,
        delta: text,
      });
    },
    signature: (signature) => {
      if (open?.type === 'reasoning') open = { ...open, encrypted_content: signature };
      close();
    },
    redactedThinking: () => {},
    toolCall: ({ id, name, arguments: fragments }) => {
      const call = { type: 'function_call', call_id: id, name, status: 'in_progress', arguments: '' };
      const item = begin(call);
      for (const delta of fragments) {
        event({
          type: 'response.function_call_arguments.delta',
          item_id: item.id,
          output_index: index,
          delta,
        });
      }
      open = { ...item, status: 'completed', arguments: fragments.join('') };
    },
    finish: (reason) => {
      close();
      const used = estimateUsage(request, steps);
      const input = used.input + used.cacheRead + used.cacheWrite;
      const usage = {
        input_tokens: input,
        input_tokens_details: { cached_tokens: used.cacheRead },
        output_tokens: used.output,
        output_tokens_details: { reasoning_tokens: used.reasoning },
        total_tokens: input + used.output,
      };
      const cut = reason === undefined || reason === null ? undefined : { reason };
      const status = cut ? 'incomplete' : 'completed';
      event({
        type: `response.${status}`,
        response: { ...head, status, incomplete_details: cut ?? null, usage },
      });
    },
  };
}
