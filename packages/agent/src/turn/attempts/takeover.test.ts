import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER, assistantText, World } from '../../testing/test-world.ts';

function check(world: World): void {
  const { client, turn, calls } = world;
  expect(turn.end).toMatchObject({ outcome: 'completed' });
  expect(client.text).toBe(ANSWER);
  const transcript = client.transcript();
  expect(assistantText(transcript.slice(3))).toBe(ANSWER);
  expect(transcript.filter(({ role }) => role === 'tool')).toHaveLength(1);
  // Each message that came during the turn was delivered once, or given back.
  const delivered = [...turn.state.injectionStates].filter(([, fate]) => fate === 'delivered');
  expect(turn.state.injectionStates.size).toBe(world.steers);
  for (const [id] of delivered) {
    expect(transcript.filter((message) => JSON.stringify(message).includes(`"${id}"`))).toHaveLength(1);
  }
  expect(client.checkpoint?.turns).toHaveLength(2 + delivered.length);
  const shownSteps = client
    .lastTurn()
    .steps.map(({ message }) => (message.case === 'assistantMessage' ? message.value.text : ''));
  // The steps of the answer are spread over the turns that the messages began.
  expect(ANSWER.endsWith(shownSteps.join(''))).toBe(true);
  if (delivered.length === 0) expect(shownSteps.join('')).toBe(ANSWER);
  for (const [index, call] of calls.entries()) {
    const next = JSON.stringify(calls[index + 1]?.messages ?? transcript);
    expect(next.startsWith(JSON.stringify(call.messages).slice(0, -1))).toBe(true);
  }
}

describe('a takeover', () => {
  it('at any entry changes nothing for the client', () => {
    const entries = run([], []).turn.entries.length;
    for (let at = 0; at <= entries; at++) {
      const world = run([], [{ at, mishap: 'takeOver' }]);
      check(world);
      expect(world.client.writes).toBe(1);
    }
  });

  it('folds to the state that the lost process had', () => {
    const world = new World(undefined);
    for (let round = 0; world.act(0) || round === 0; round++) {
      const { process: _, ...folded } = world.turn.fold();
      const { process: __, ...live } = world.turn.state;
      expect(folded).toEqual(live);
    }
  });
});

type Mishap = 'takeOver' | 'attempt' | 'interrupt' | 'steer';

/** Plays a turn: the choices decide the order of what happens, mishaps come when the journal has so many entries. */
function run(
  choices: readonly number[],
  mishaps: readonly { at: number; mishap: Mishap }[],
  key?: Uint8Array,
): World {
  const world = new World(key);
  const due = [...mishaps].sort((a, b) => a.at - b.at);
  for (let round = 0; round < 2000; round++) {
    for (let next = due[0]; next && next.at <= world.turn.entries.length; next = due[0]) {
      due.shift();
      world.client.read(world.turn);
      if (!world.turn.end) world[next.mishap]();
    }
    if (!world.act(choices[round % Math.max(1, choices.length)] ?? 0)) break;
  }
  world.client.read(world.turn);
  return world;
}

it('comes out right whatever the order of events, takeovers, retries and interruptions', () => {
  const mishap = fc.record({
    at: fc.nat(40),
    mishap: fc.constantFrom<Mishap>('takeOver', 'takeOver', 'attempt', 'interrupt', 'steer'),
  });
  const mishaps = fc
    .array(mishap, { maxLength: 6 })
    .filter((list) => list.filter(({ mishap }) => mishap === 'interrupt').length <= 2);
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: 1, maxLength: 40 }),
      mishaps,
      fc.boolean(),
      (choices, list, cached) => {
        const world = run(choices, list, cached ? new Uint8Array(32) : undefined);
        check(world);
        // A lost attempt may have written or not; nobody writes a second time.
        if (list.some(({ mishap }) => mishap === 'attempt')) expect(world.client.writes).toBeLessThan(2);
        else expect(world.client.writes).toBe(1);
      },
    ),
    {
      numRuns: 150,
      examples: [
        // Two attempts in a row get the same draft of the answer.
        [
          [43, 24],
          [
            { at: 0, mishap: 'attempt' },
            { at: 22, mishap: 'attempt' },
            { at: 24, mishap: 'attempt' },
          ],
          false,
        ],
      ],
    },
  );
}, 60_000);
