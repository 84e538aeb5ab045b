// `npm run check:helm`: everything about the chart, and the Compose file and Dockerfile beside it, that can be known
// without a cluster. `--write` first brings the generated files (schema, README, copies of dashboards and alerts) up to date.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsProgram } from '../../tests/support/engines/nats.ts';
import { repositoryFaults } from '../check-compose/check.ts';
import { dockerfileFaults } from '../check-images/lint.ts';
import { root } from '../toolchain.mjs';
import { flowFaults } from './flows/check.ts';
import { readRows } from './flows/table.ts';
import { generatedFaults, writeGenerated } from './generated.ts';
import { type KubeObject, workloadsOf } from './objects.ts';
import { containerFaults } from './policy/containers.ts';
import { natsConfigFaults } from './policy/nats-config.ts';
import { securityFaults } from './policy/restricted.ts';
import { rolloutFaults } from './policy/rollout.ts';
import { serviceConfigFaults, serviceFileFaults } from './policy/service-config.ts';
import {
  type Combination,
  chart,
  combinations,
  type Document,
  documentsOf,
  lint,
  template,
} from './render.ts';
import { Report } from './report.ts';
import { validatorFaults } from './self-test.ts';
import { fetchTools, ToolMissing, type Tools } from './tools/fetch.ts';
import { validationFaults } from './validate.ts';
import { WRONG_VALUES } from './values/wrong.ts';

const report = new Report();
const all = combinations();
const rows = readRows(readFileSync(join(chart, 'files/flows.yaml'), 'utf8'));

try {
  if (process.argv.includes('--write')) writeGenerated(all);
  report.check('generated files', generatedFaults(all));
  const tools = await fetchTools((line) => console.error(line));
  report.check('docker-compose.yml', repositoryFaults(tools.composeSchema));
  const dockerfile = readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8');
  report.check('Dockerfile', dockerfileFaults(dockerfile, ['gateway', 'worker', 'standalone']));
  const program = await natsProgram();
  const nats = program.kind === 'binary' ? program.path : undefined;
  const documents = all.flatMap((combination) => checkCombination(combination, tools, nats));
  report.check('the validator refuses wrong objects', validatorFaults(tools));
  report.check('Kubernetes schemas', validationFaults(documents, tools));
  for (const [set, place] of WRONG_VALUES) checkWrong(set, place, tools);
  process.exitCode = report.close();
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function checkCombination(
  { name, file, values }: Combination,
  tools: Tools,
  nats: string | undefined,
): Document[] {
  const args = file ? ['--values', file] : [];
  const rendered: Document[] = [];
  for (const version of ['helm3', 'helm4'] as const) {
    const linted = lint(tools[version], args);
    report.check(`${name}: ${version} lint`, 'error' in linted ? [linted.error] : []);
    const result = template(tools[version], args);
    report.check(`${name}: ${version} template`, 'error' in result ? [result.error] : []);
    if ('error' in result) continue;
    const documents = documentsOf(result.text);
    const objects = documents.map(({ object }) => object);
    checkObjects(`${name}: ${version}`, objects, values);
    rendered.push(...documents);
    if (nats) {
      report.check(`${name}: ${version} nats.conf`, natsConfigFaults(nats, objects, workloadsOf(objects)));
    }
  }
  return rendered;
}

function checkObjects(name: string, objects: readonly KubeObject[], values: Combination['values']): void {
  const workloads = workloadsOf(objects);
  report.check(`${name} pod security`, workloads.flatMap(securityFaults));
  report.check(`${name} images, limits, probes, secrets`, workloads.flatMap(containerFaults));
  report.check(`${name} rollout`, rolloutFaults(objects, workloads));
  report.check(`${name} settings of the services`, serviceConfigFaults(workloads));
  report.check(`${name} files of the services`, serviceFileFaults(objects));
  report.check(`${name} flows`, flowFaults(objects, values, rows));
}

function checkWrong(set: string, place: string, tools: Tools): void {
  for (const version of ['helm3', 'helm4'] as const) {
    const result = template(tools[version], ['--set', set]);
    const faults =
      'text' in result
        ? ['was accepted']
        : result.error.includes(place)
          ? []
          : [`the refusal does not name ${place}: ${result.error}`];
    report.check(`${version} refuses ${set}`, faults);
  }
}
