import type { Client, Clock } from '@tandem/client';
import type { Meter } from '../measure/meter.ts';

/** What a scenario needs of the driver that runs it. */
export interface World {
  /** A client of the Tandem under load, on the driver's transport. */
  readonly client: Client;
  readonly clock: Clock;
  /** Milliseconds since the epoch with their fractions, by the clock that the model stamps its words with. */
  now(): number;
  /** A new random id. */
  id(): string;
  /** The model that says what {@link promptFor} asks for. */
  readonly model: string;
  readonly meter: Meter;
}

/** Resolves after some milliseconds. */
export function pause({ clock }: Pick<World, 'clock'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
