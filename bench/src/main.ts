// `npm run bench`: measures what Tandem costs and prints it as a table, or with `--json` as one object on the last line.
// `--only relay,idle` runs some; `--profile <folder>` leaves CPU profiles of the services there.
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureAppend } from './measure/append.ts';
import { measureIdle } from './measure/idle.ts';
import type { Measurement } from './measure/measurement.ts';
import { measureRelay } from './measure/relay.ts';
import { measureTurn } from './measure/turn.ts';
import { table } from './report.ts';
import { startRig } from './rig/rig.ts';

const MEASUREMENTS: readonly Measurement[] = [
  { name: 'relay', run: measureRelay },
  { name: 'idle', run: measureIdle },
  { name: 'append', run: measureAppend },
  { name: 'turn', run: measureTurn },
];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const wanted = values.only?.split(',');
const unknown =
  wanted?.filter((name) => !MEASUREMENTS.some((measurement) => measurement.name === name)) ?? [];
if (unknown.length > 0) {
  const names = MEASUREMENTS.map(({ name }) => name).join(', ');
  console.error(`no such measurement: ${unknown.join(', ')} (there are ${names})`);
  process.exit(2);
}
if (values.profile) mkdirSync(values.profile, { recursive: true });

const figures: Record<string, number> = {};
const settings: Record<string, string> = {};
const rig = await startRig(values.profile);
try {
  for (const { name, run } of MEASUREMENTS) {
    if (wanted && !wanted.includes(name)) continue;
    const began = performance.now();
    const findings = await run(rig);
    Object.assign(figures, findings.figures);
    settings[name] = findings.setting;
    console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
} finally {
  await rig.close();
}
const rounded = Object.fromEntries(
  Object.entries(figures).map(([name, figure]) => [name, Number(figure.toPrecision(4))]),
);
console.log(values.json ? JSON.stringify({ ...rounded, settings }) : table(rounded, settings));
process.exit();
