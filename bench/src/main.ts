// `npm run bench`; see --help.
import { mkdirSync } from 'node:fs';
import { readArguments, refuse } from '@tandem/test-support/command';
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

const NAMES = MEASUREMENTS.map(({ name }) => name).join(',');

const { values } = readArguments({
  call: 'npm run bench --',
  about: 'Measures what the relay, idle streams, appends and turns cost, on engines and services of its own.',
  flags: {
    json: { type: 'boolean', default: false, about: 'one JSON object on the last line instead of a table' },
    only: { type: 'string', value: 'NAMES', about: `some of ${NAMES}; all unless told` },
    profile: { type: 'string', value: 'FOLDER', about: 'leaves CPU profiles of gateways and workers there' },
  },
});
const wanted = values.only?.split(',');
const unknown =
  wanted?.filter((name) => !MEASUREMENTS.some((measurement) => measurement.name === name)) ?? [];
if (unknown.length > 0) refuse(`no such measurement: ${unknown.join(',')} (there are ${NAMES})`);
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
