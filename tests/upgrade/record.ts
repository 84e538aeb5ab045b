// `node tests/upgrade/record.ts [--outcomes] [name…]`: see README.md.
import { cutsOf, type Fixture, journalOf, names, readFixture, takeOver, writeFixture } from './fixture.ts';
import { Play } from './play.ts';
import type { Scene } from './scene.ts';
import { SCENES } from './scenes.ts';

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const outcomesOnly = process.argv.includes('--outcomes');
const recorded = new Set(names());

for (const [name, scene] of Object.entries(SCENES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (recorded.has(name) !== outcomesOnly) continue;
  const turn = outcomesOnly ? readFixture(scene, name) : await record(scene);
  const outcomes = new Map<string, readonly string[]>();
  for (const cut of cutsOf(scene, turn.records)) outcomes.set(cut, await takeOver(scene, turn, cut));
  writeFixture(scene, name, { ...turn, outcomes });
  console.log(`${name}: ${turn.records.length} records, ${outcomes.size} cuts`);
}

async function record(scene: Scene): Promise<Omit<Fixture, 'outcomes'>> {
  let play = new Play(scene);
  const cache = await play.all();
  for (const entries of scene.takeovers ?? []) {
    const records = await play.records();
    const last = journalOf(scene, records)[entries - 1]?.sequence ?? 0;
    play = new Play(scene, cache);
    await play.load(records.filter(({ sequence }) => sequence <= last));
    await play.goOn();
  }
  if (play.faults.length > 0) throw play.faults[0];
  return { records: await play.records(), cache };
}
