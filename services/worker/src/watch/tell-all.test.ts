import { expect, test } from 'vitest';
import { tellAll } from './tell-all.ts';

interface Observer {
  happened?(what: string): void;
  traceOf?(turn: string): string | undefined;
  never?(): void;
}

test('each is told in order, the first to answer is heard, and nobody is told what none asks for', () => {
  const told: string[] = [];
  const list: Observer[] = [
    { happened: (what) => told.push(`a ${what}`), traceOf: () => undefined },
    { traceOf: (turn) => `b ${turn}` },
    { happened: (what) => told.push(`c ${what}`), traceOf: (turn) => `c ${turn}` },
  ];
  const all = tellAll(list);
  all.happened?.('x');
  expect(told).toEqual(['a x', 'c x']);
  expect(all.traceOf?.('t')).toBe('b t');
  expect(all.never).toBeUndefined();
  expect(tellAll<Observer>([]).happened).toBeUndefined();
});
