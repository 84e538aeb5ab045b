import type { FinishReason, ModelEvent } from '@tandem/agent';
import { Gates } from './gates.ts';
import { type EventSink, play, type Wire } from './play.ts';
import type { Step } from './script.ts';

/** Where and how fast an answer is played. */
export interface ModelPortOptions {
  readonly signal: AbortSignal;
  /** Paces the answer, on whatever time the caller lives by. */
  readonly delay: (ms: number) => Promise<unknown>;
  /** The name under which the answer is booked. */
  readonly deployment: string;
}

/**
 * Plays an answer within this process, as events of the agent's model port instead of a provider's stream: for what has no sockets and a
 * time of its own. The script and its player are those of the provider.
 */
export async function* playModel(
  steps: readonly Step[],
  { signal, delay, deployment }: ModelPortOptions,
): AsyncGenerator<ModelEvent, void> {
  const events: ModelEvent[] = [];
  const gone = Promise.withResolvers<void>();
  let state: 'playing' | 'played' | 'left' = 'playing';
  let more = Promise.withResolvers<void>();
  const leave = () => {
    state = 'left';
    gone.resolve();
    more.resolve();
  };
  const sink = new ModelSink(steps, deployment, (event) => {
    events.push(event);
    more.resolve();
  });
  const broken = () => sink.end('interrupted');
  const wire: Wire = {
    write: () => undefined,
    end: broken,
    cut: broken,
    delay,
    gone: () => state === 'left',
    whenGone: gone.promise,
  };
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  void play(steps, sink, wire, new Gates()).then(() => {
    if (state === 'playing') state = 'played';
    more.resolve();
  });
  try {
    for (;;) {
      for (let event = events.shift(); event; event = events.shift()) yield event;
      if (state !== 'playing') return;
      await more.promise;
      more = Promise.withResolvers();
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/** Gives an answer's parts the form of the port; what only a provider's stream can say is passed over. */
class ModelSink implements EventSink {
  readonly #steps: readonly Step[];
  readonly #deployment: string;
  readonly #say: (event: ModelEvent) => void;
  #reasons = false;
  #ended = false;
  #calls = 0;

  constructor(steps: readonly Step[], deployment: string, say: (event: ModelEvent) => void) {
    this.#steps = steps;
    this.#deployment = deployment;
    this.#say = say;
  }

  start(): void {}
  ping(): void {}
  event(): void {}
  signature(): void {}
  redactedThinking(): void {}

  error(): void {
    this.end('error');
  }

  text(text: string): void {
    this.#endReasoning();
    this.#say({ type: 'text', text });
  }

  reasoning(text: string): void {
    this.#reasons = true;
    this.#say({ type: 'reasoning', text });
  }

  toolCall({ id, name, arguments: fragments }: Parameters<EventSink['toolCall']>[0]): void {
    this.#endReasoning();
    this.#calls += 1;
    this.#say({ type: 'tool_input_start', id, name });
    for (const delta of fragments) this.#say({ type: 'tool_input_delta', id, delta });
    this.#say({ type: 'tool_call', id, name, input: fragments.join('') });
  }

  finish(): void {
    this.end(this.#calls > 0 ? 'tool_calls' : 'stop');
  }

  /** Says how the answer ended, once. */
  end(reason: FinishReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endReasoning();
    const said = this.#steps.find((step) => step.type === 'usage');
    const usage = {
      inputTokens: said?.input ?? 0,
      outputTokens: said?.output ?? 0,
      cacheReadTokens: said?.cacheRead ?? 0,
      cacheWriteTokens: said?.cacheWrite ?? 0,
      reasoningTokens: said?.reasoning ?? 0,
    };
    this.#say({ type: 'finish', reason, usage, deployment: this.#deployment });
  }

  #endReasoning(): void {
    if (this.#reasons) this.#say({ type: 'reasoning_end' });
    this.#reasons = false;
  }
}
