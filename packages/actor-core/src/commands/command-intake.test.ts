import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { Stragglers } from './command-intake.ts';

const command = create(tandem.CommandSchema, {});

function logged(sequence: number, time = sequence * 1_000) {
  return { sequence, time, set: `s${sequence}`, command };
}

describe('appends before the one that opens a generation', () => {
  const opening = logged(100);

  it('go on where the generation before stopped, or begin anew', () => {
    const late = new Stragglers(opening, { consumed: 10, applied: new Map([['r1', 8]]), keptMs: 15_000 });
    expect(late.includes('r1', 9, logged(11))).toBe(true);
    expect(late.includes('r1', 8, logged(12))).toBe(true);
    expect(late.includes('r1', 1, logged(13))).toBe(false);
    expect(late.includes('r1', 8, logged(14))).toBe(false);
    expect(late.includes('r2', 9, logged(15))).toBe(false);
    expect(late.includes('r1', 9, logged(101))).toBe(false);
  });

  it('are told by their age when no entries of a generation before are there', () => {
    const late = new Stragglers(opening, { consumed: 0, applied: undefined, keptMs: 15_000 });
    expect(late.includes('r1', 9, logged(89))).toBe(true);
    expect(late.includes('r1', 9, logged(91))).toBe(false);
  });
});
