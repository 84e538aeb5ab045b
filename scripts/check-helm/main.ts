import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { natsProgram } from '../../tests/support/engines/nats.ts';
import { repositoryFaults } from '../check-compose/check.ts';
import { dockerfileFaults } from '../check-images/lint.ts';
import { help } from '../help.ts';
import { root } from '../toolchain.mjs';
import { type Combination, chart, combinations, documentsOf, lint, template, workloadsOf } from './chart.ts';
import { flowFaults, readTable } from './flows.ts';
import { generatedFaults } from './generated.ts';
import { houseFaults } from './house-rules.ts';
import { natsConfigFaults } from './nats-config.ts';
import { Report } from './report.ts';
import { serviceConfigFaults, serviceFileFaults } from './service-config.ts';
import { fetchTools, ToolMissing } from './tools.ts';
import { blindSpots, schemaFaults, scoreFaults } from './validators.ts';
import { restrictedFaults } from './verdicts.ts';

const HELMS = ['helm3', 'helm4'] as const;

help(`npm run check:helm [-- --write]

Checks what can be known without a cluster: lints and renders the chart for each file in its ci/ under Helm 3 and 4, has the objects
judged by Kubernetes' own validators and ours, has wrong values refused; also docker-compose.yml and the Dockerfile. Needs Go, which
builds the tools the first time.

  --write   first brings the chart's schema and README in line with values.yaml`);

const report = new Report();
const all = combinations();
const table = readTable(readFileSync(join(chart, 'files/flows.yaml'), 'utf8'));

try {
  report.check('generated files', generatedFaults(all, process.argv.includes('--write')));
  const tools = fetchTools((line) => console.error(line));
  report.check('docker-compose.yml', repositoryFaults(tools.composeSchema));
  const dockerfile = readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8');
  report.check('Dockerfile', dockerfileFaults(dockerfile, ['gateway', 'worker', 'standalone']));
  const nats = await natsProgram();
  const documents = all.flatMap((combination) => checkCombination(combination, nats));
  report.check('the validator refuses wrong objects', blindSpots(tools));
  report.check('Kubernetes schemas', schemaFaults(documents, tools));
  const refused: { set: string; place: string }[] = parse(
    readFileSync(join(import.meta.dirname, 'refused-values.yaml'), 'utf8'),
  );
  for (const { set, place } of refused) for (const helm of HELMS) checkRefused(helm, set, place);
  process.exitCode = report.close();

  function checkCombination(
    { name, file, values }: Combination,
    natsServer: Awaited<ReturnType<typeof natsProgram>>,
  ) {
    const args = file ? ['--values', file] : [];
    return HELMS.flatMap((helm) => {
      const linted = lint(tools[helm], args);
      report.check(`${name}: ${helm} lint`, 'error' in linted ? [linted.error] : []);
      const result = template(tools[helm], args);
      report.check(`${name}: ${helm} template`, 'error' in result ? [result.error] : []);
      if ('error' in result) return [];
      const rendered = documentsOf(result.text);
      const objects = rendered.map(({ object }) => object);
      const workloads = workloadsOf(objects);
      const check = (what: string, faults: readonly string[]) =>
        report.check(`${name}: ${helm} ${what}`, faults);
      check('pod security', restrictedFaults(tools.verdicts, workloads));
      check('kube-score', scoreFaults(result.text, tools));
      check('house rules', houseFaults(objects, workloads));
      check('settings of the services', serviceConfigFaults(workloads));
      check('files of the services', serviceFileFaults(objects));
      check('flows', flowFaults(tools.verdicts, objects, workloads, values, table));
      if (natsServer.kind === 'binary')
        check('nats.conf', natsConfigFaults(natsServer.path, objects, workloads));
      return rendered;
    });
  }

  function checkRefused(helm: (typeof HELMS)[number], set: string, place: string): void {
    const result = template(tools[helm], ['--set', set]);
    const wrong = 'text' in result ? 'was accepted' : `the refusal does not name ${place}: ${result.error}`;
    const right = 'error' in result && result.error.includes(place);
    report.check(`${helm} refuses ${set}`, right ? [] : [wrong]);
  }
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
