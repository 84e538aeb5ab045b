// `npm run load`; see --help, and load/README.md for the figures.
import { readArguments, refuse } from '@tandem/test-support/command';
import type { ScriptedProvider } from '@tandem/test-support/provider';
import { broken, PROFILES } from '../src/index.ts';
import { drive, type Findings, type Part } from './drive.ts';
import { startModel } from './model.ts';
import { roundedFigures, withRatios } from './report.ts';
import { runningTarget, startClusterTarget, startStandaloneTarget } from './target.ts';

const ALL: readonly Part[] = ['open', 'steady', 'busy', 'storm', 'slow', 'rollout'];
const COMPARED: readonly Part[] = ['open', 'steady', 'busy'];

const { values } = readArguments({
  call: 'npm run load --',
  about: `Puts a load on a cluster of its own (engines, two gateways, two workers, a scripted model) and on a standalone
server, or on one that runs already. Exits with 1 when a threshold does not hold; the last line has the figures as JSON.`,
  flags: {
    profile: {
      type: 'string',
      default: 'small',
      value: 'NAME',
      about: `of ${Object.keys(PROFILES).join(', ')}`,
    },
    json: { type: 'boolean', default: false, about: 'leaves out the table' },
    only: { type: 'string', value: 'PARTS', about: `some of ${ALL.join(',')}; all unless told` },
    model: {
      type: 'string',
      default: 'load',
      value: 'ID',
      about: "the load's own model, on a Tandem that runs",
    },
  },
  environment: {
    TANDEM_URL: 'a Tandem that runs already; nothing is started then, and the rollout is left out',
    TANDEM_API_KEY: 'its key',
  },
});
const profile = Object.hasOwn(PROFILES, values.profile)
  ? PROFILES[values.profile as keyof typeof PROFILES]
  : refuse(`no such profile: ${values.profile} (there are ${Object.keys(PROFILES).join(', ')})`);
const parts = (values.only?.split(',') ?? ALL) as readonly Part[];
const unknown = parts.filter((part) => !ALL.includes(part));
if (unknown.length > 0) refuse(`no such part: ${unknown.join(', ')} (there are ${ALL.join(', ')})`);

const { TANDEM_URL, TANDEM_API_KEY = '' } = process.env;
const { figures, faults } = TANDEM_URL
  ? await driveRunning(TANDEM_URL.replace(/\/+$/, ''))
  : await driveOwn();
const failures = broken(thresholdsOf(figures), figures);
for (const fault of [...faults, ...failures]) console.error(fault);
const rounded = roundedFigures(figures);
if (!values.json)
  for (const [name, figure] of Object.entries(rounded)) console.log(`${name.padEnd(40)} ${figure}`);
console.log(JSON.stringify({ profile: values.profile, ok: failures.length === 0, ...rounded }));
process.exit(failures.length === 0 ? 0 : 1);

async function driveRunning(url: string): Promise<Findings> {
  await using target = runningTarget(url, TANDEM_API_KEY, values.model);
  return await drive(target, profile, parts, tell('running'));
}

async function driveOwn(): Promise<Findings> {
  const model = await startModel();
  try {
    const cluster = await driveCluster(model);
    const compared = parts.filter((part) => COMPARED.includes(part));
    if (compared.length === 0) return cluster;
    await using target = await startStandaloneTarget(model);
    return withRatios(cluster, await drive(target, profile, compared, tell('standalone')));
  } finally {
    await model.close();
  }
}

async function driveCluster(model: ScriptedProvider): Promise<Findings> {
  await using target = await startClusterTarget(model);
  return await drive(target, profile, parts, tell('cluster'));
}

/** Parts that were left out have no figures to hold. */
function thresholdsOf(found: Readonly<Record<string, number>>) {
  const partial = values.only !== undefined || TANDEM_URL !== undefined;
  const entries = Object.entries(profile.thresholds);
  return Object.fromEntries(partial ? entries.filter(([name]) => name in found) : entries);
}

function tell(target: string): (part: string) => void {
  const began = performance.now();
  return (part) =>
    console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${target}: ${part}`);
}
