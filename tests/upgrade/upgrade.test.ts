import { fromBinary, toJson } from '@bufbuild/protobuf';
import { agent, ENVELOPE_HEADER_BYTES } from '@tandem/proto';
import { expect, it } from 'vitest';
import { cutsOf, names, readFixture, takeOver } from './fixture.ts';
import { SCENES } from './scenes.ts';

const PATIENCE_MS = 60_000;

it.each(names())(
  'goes on with what was stored, from each entry: %s',
  { timeout: PATIENCE_MS },
  async (name) => {
    const scene = SCENES[name];
    if (!scene) throw new Error('nobody knows any more how it was recorded');
    const fixture = readFixture(scene, name);
    expect([...fixture.outcomes.keys()].sort()).toEqual(cutsOf(scene, fixture.records).sort());
    for (const [cut, expected] of fixture.outcomes) {
      const lines = await takeOver(scene, fixture, cut);
      if (lines.join() === expected.join()) continue;
      expect({ cut, lines: lines.map(readable) }).toEqual({ cut, lines: expected.map(readable) });
      expect({ cut, lines }).toEqual({ cut, lines: expected });
    }
  },
);

function readable(line: string): unknown {
  const bytes = /^frame (.*)$/.exec(line)?.[1];
  if (!bytes) return line;
  const frame = Buffer.from(bytes, 'base64');
  if ((frame[0] ?? 0) & 2) return frame.subarray(ENVELOPE_HEADER_BYTES).toString();
  return toJson(
    agent.AgentServerMessageSchema,
    fromBinary(agent.AgentServerMessageSchema, frame.subarray(ENVELOPE_HEADER_BYTES)),
  );
}
