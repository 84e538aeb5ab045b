import { TandemError } from '@tandem/errors';

/** Another writer acquired a later epoch of the journal: this one must stop, silently, whatever it was doing. */
export class Deposed extends TandemError {
  override readonly name = 'Deposed';
  constructor(byEpoch: number) {
    super('internal', { message: `the journal belongs to epoch ${byEpoch}` });
  }
}
