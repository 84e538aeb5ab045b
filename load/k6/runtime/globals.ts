// What the bundle's libraries expect of a runtime and k6's may not have: only what they use, and only where it is missing.
import { Buffer } from 'buffer';

class Encoder {
  encode(text: string): Uint8Array {
    return Uint8Array.from(Buffer.from(text, 'utf8'));
  }
}

class Decoder {
  decode(bytes: Uint8Array): string {
    return Buffer.from(bytes).toString('utf8');
  }
}

type Listener = () => void;

class Signal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<Listener>();

  static any(signals: readonly Signal[]): Signal {
    const any = new Signal();
    for (const signal of signals) {
      if (signal.aborted) any.abort(signal.reason);
      else signal.addEventListener('abort', () => any.abort(signal.reason));
    }
    return any;
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
  }
}

class Controller {
  readonly signal = new Signal();

  abort(reason: unknown = new Error('aborted')): void {
    this.signal.abort(reason);
  }
}

const missing: Record<string, unknown> = {
  Buffer,
  TextEncoder: Encoder,
  TextDecoder: Decoder,
  AbortSignal: Signal,
  AbortController: Controller,
};
const global = globalThis as Record<string, unknown>;
for (const [name, value] of Object.entries(missing)) global[name] ??= value;

// Compiled async generators are found under this name where the runtime knows no async iteration.
if (Symbol.asyncIterator === undefined) {
  Object.defineProperty(Symbol, 'asyncIterator', { value: Symbol.for('Symbol.asyncIterator') });
}
