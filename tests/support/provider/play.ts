import type { Gates } from './gates.ts';
import type { Step } from './script.ts';

type ToolCallStep = Extract<Step, { type: 'tool_call' }>;

/** The form that a provider gives to the parts of an answer. */
export interface EventSink {
  start(): void;
  ping(): void;
  error(error: Readonly<Record<string, unknown>>): void;
  event(data: unknown): void;
  text(text: string): void;
  reasoning(text: string, field?: string): void;
  signature(signature: string): void;
  redactedThinking(data: string): void;
  toolCall(call: Omit<ToolCallStep, 'arguments'> & { readonly arguments: readonly string[] }): void;
  finish(reason?: string | null): void;
}

/** What carries an answer, and the time it takes. */
export interface Wire {
  write(chunk: string | Uint8Array): void;
  end(): void;
  cut(): void;
  delay(ms: number): Promise<unknown>;
  /** Whether the other side is gone. */
  gone(): boolean;
  readonly whenGone: Promise<unknown>;
}

/** Plays the steps in order; an answer that does not say how it ends is finished as the provider would. */
export async function play(steps: readonly Step[], sink: EventSink, wire: Wire, gates: Gates): Promise<void> {
  sink.start();
  for (const step of steps) {
    if (wire.gone()) return;
    switch (step.type) {
      case 'text':
        sink.text(step.text);
        break;
      case 'reasoning':
        sink.reasoning(step.text, step.field);
        break;
      case 'signature':
        sink.signature(step.signature);
        break;
      case 'redacted_thinking':
        sink.redactedThinking(step.data);
        break;
      case 'tool_call':
        sink.toolCall({
          ...step,
          arguments: typeof step.arguments === 'string' ? [step.arguments] : step.arguments,
        });
        break;
      case 'usage':
        break;
      case 'ping':
        sink.ping();
        break;
      case 'error':
        sink.error(step.error);
        break;
      case 'event':
        sink.event(step.data);
        break;
      case 'raw':
        wire.write(step.text);
        break;
      case 'hold':
        await Promise.race([gates.hold(step.name), wire.whenGone]);
        break;
      case 'wait':
        await Promise.race([step.for, wire.whenGone]);
        break;
      case 'delay':
        await Promise.race([wire.delay(step.ms), wire.whenGone]);
        break;
      case 'finish':
        sink.finish(step.reason);
        return wire.end();
      case 'end':
        return wire.end();
      case 'cut':
        return wire.cut();
    }
  }
  if (wire.gone()) return;
  sink.finish();
  wire.end();
}
