import type { ModelMessage } from '@tandem/agent';
import { afterEach, describe, expect, it } from 'vitest';
import { FAMILIES } from './families.ts';
import { collect, type Rig, reasonOf, startRig, user } from './harness.ts';
import { result, stored, TOOL, TWO_CALLS } from './transcript.ts';

let rig: Rig;
afterEach(() => rig.close());

const NAMES = FAMILIES.map(([name]) => name);
/** Those that get plain reasoning back, whoever else streamed it plainly. */
const PLAIN = ['openai-compatible'];
/** One wire form under two names. */
const KIN = [['google', 'google-vertex']];

/** What is signed or sealed is its provider's own: to all others it is noise, or a fault. */
function mayCarrySeal(from: string, to: string): boolean {
  return from === to || KIN.some((kin) => kin.includes(from) && kin.includes(to));
}

describe.each(NAMES)('a conversation that began with %s', (from) => {
  it.each(NAMES)('goes on with %s', async (to) => {
    const deploymentOf = (name: string) => FAMILIES.find(([known]) => known === name)?.[1];
    rig = await startRig([{ ...deploymentOf(from) }]);
    rig.provider.script('m', [
      {
        steps: [
          { type: 'reasoning', text: 'thought-of-before' },
          { type: 'signature', signature: 'SEAL' },
          { type: 'text', text: 'Looking.' },
          ...TWO_CALLS,
        ],
      },
    ]);
    const said = stored(await collect(rig, { tools: [TOOL] }));
    await rig.close();

    rig = await startRig([{ ...deploymentOf(to) }]);
    const messages: ModelMessage[] = [user('first'), said, result('c1', 'c2'), user('second')];
    expect(reasonOf(await collect(rig, { messages, tools: [TOOL] }))).toBe('stop');
    const { raw } = await rig.provider.request(1);
    for (const kept of ['Looking.', 'first', 'second']) expect(raw).toContain(kept);
    expect(raw.match(/"file"/g)).toHaveLength(2);
    if (!mayCarrySeal(from, to)) expect(raw).not.toContain('SEAL');
    if (from !== to && !PLAIN.includes(to)) expect(raw).not.toContain('thought-of-before');
  });
});
