import type { ModelEvent, ModelMessage } from '@tandem/agent';

/** Most characters of a prompt or an answer in a trace; of a prompt, the end is kept. */
const MAX_CHARACTERS = 32_768;

/** What a model is shown, as the conventions for `gen_ai.input.messages` have it. Images by their type alone. */
export function inputContents(messages: readonly ModelMessage[]): string {
  const text = JSON.stringify(messages.map(({ role, content }) => ({ role, parts: partsOf(content) })));
  return text.length > MAX_CHARACTERS ? `…${text.slice(-MAX_CHARACTERS)}` : text;
}

function partsOf(content: ModelMessage['content']): unknown[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  return content.map((part) => {
    switch (part.type) {
      case 'text':
        return { type: 'text', content: part.text };
      case 'reasoning':
        return { type: 'reasoning', content: part.text };
      case 'image':
        return { type: 'blob', modality: 'image', mime_type: part.mediaType };
      case 'tool-call':
        return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input };
      case 'tool-result':
        return { type: 'tool_call_response', id: part.toolCallId, result: resultOf(part.output) };
      default:
        return { type: 'unknown' };
    }
  });
}

type Output = Extract<
  Extract<ModelMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

function resultOf(output: Output): unknown {
  if (output.type !== 'content') return output.value;
  return output.value.map((part) =>
    part.type === 'text' ? { type: 'text', content: part.text } : { type: 'blob', mime_type: part.mediaType },
  );
}

/** Gathers what a model answers. */
export class AnswerContents {
  #text = '';
  #reasoning = '';
  readonly #calls: unknown[] = [];

  take(event: ModelEvent): void {
    if (event.type === 'text') this.#text = cut(this.#text + event.text);
    else if (event.type === 'reasoning') this.#reasoning = cut(this.#reasoning + event.text);
    else if (event.type === 'tool_call')
      this.#calls.push({ type: 'tool_call', id: event.id, name: event.name, arguments: cut(event.input) });
  }

  /** As `gen_ai.output.messages`. */
  text(): string {
    const parts = [
      ...(this.#reasoning ? [{ type: 'reasoning', content: this.#reasoning }] : []),
      ...(this.#text ? [{ type: 'text', content: this.#text }] : []),
      ...this.#calls,
    ];
    return JSON.stringify([{ role: 'assistant', parts }]);
  }
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
}
