/** Fire-and-forget messages between gateways and actors: at most once, not stored, lost without a trace. */
export interface Signals {
  publish(subject: string, payload: Uint8Array): void;
  subscribe(subject: string, handler: (payload: Uint8Array) => void): SignalSubscription;
  /** Whether anything could be heard right now; false while the connection to the engine is down. */
  readonly connected: boolean;
}

export interface SignalSubscription {
  close(): void;
}
