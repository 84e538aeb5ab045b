import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { DASHBOARDS, grafanaJson } from '../../deploy/grafana/index.ts';
import { exportedMetrics } from '../../tests/observability/exported.ts';
import { Report } from '../check-helm/report.ts';
import { help } from '../help.ts';
import { nameFaults, withoutVariables } from '../prometheus/names.ts';
import {
  ALERT_TESTS_FILE,
  ALERTS_FILE,
  findPrometheus,
  promtoolFaults,
  readAlerts,
} from '../prometheus/prometheus.ts';
import { root } from '../toolchain.mjs';

help(`npm run check:dashboards [-- --write]

Holds dashboards and alerts against what the services export, and has promtool check and test the alerts.

  --write   first makes the dashboards' JSON from deploy/grafana/`);

const folder = join(root, 'deploy/helm/tandem/files/dashboards');
const report = new Report();
const files = new Map(DASHBOARDS.map((one) => [join(folder, `${one.uid}.json`), grafanaJson(one)]));
const leftOver = globSync(join(folder, '*.json')).filter((path) => !files.has(path));
if (process.argv.includes('--write')) {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of files) writeFileSync(path, text);
  for (const path of leftOver.splice(0)) rmSync(path);
}

for (const [path, text] of files) {
  const fresh = existsSync(path) && readFileSync(path, 'utf8') === text;
  const advice = 'is out of date: run npm run check:dashboards -- --write';
  report.check(basename(path), fresh ? [] : [`${path} ${advice}`]);
}
report.check('no other dashboards', leftOver);

const exported = [...(await exportedMetrics()).values()];
const panels = DASHBOARDS.flatMap(({ title, rows }) =>
  rows.flatMap(({ panels: all }) => all.map((panel) => ({ name: `${title}: ${panel.title}`, panel }))),
);
for (const { name, panel } of panels) {
  const faultsOf = (expr: string) => nameFaults(expr, exported).map((fault) => `${expr}: ${fault}`);
  report.check(
    name,
    panel.queries.flatMap(({ expr }) => faultsOf(expr)),
  );
}

const alerts = readAlerts();
const runbooks = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const tests = readFileSync(ALERT_TESTS_FILE, 'utf8');
for (const { alert, expr, annotations } of alerts) {
  report.check(`${alert}: names`, nameFaults(expr, exported));
  const linked = annotations.runbook_url === `docs/operations.md#${alert.toLowerCase()}`;
  report.check(`${alert}: link to its runbook`, linked ? [] : [String(annotations.runbook_url)]);
  report.check(`${alert}: runbook`, runbooks.includes(`\n#### ${alert}\n`) ? [] : ['no section']);
  report.check(`${alert}: test`, new RegExp(`alertname: ${alert}$`, 'm').test(tests) ? [] : ['no test']);
}

const template = readFileSync(join(root, 'deploy/helm/tandem/templates/_autoscaling.tpl'), 'utf8');
for (const name of new Set(template.match(/(?<=")tandem_\w+(?=")/g))) {
  const known = exported.some((metric) => metric.name === name && metric.type === 'gauge');
  report.check(`the chart scales by ${name}`, known ? [] : ['no service exports such a gauge']);
}

const { promtool } = await findPrometheus((line) => console.error(line));
report.check('promtool check rules', promtoolFaults(promtool, ['check', 'rules', ALERTS_FILE]));
report.check('promtool test rules', promtoolFaults(promtool, ['test', 'rules', ALERT_TESTS_FILE]));
const drafts = mkdtempSync(join(tmpdir(), 'tandem-promtool-'));
try {
  const exprs = panels.flatMap(({ panel }) => panel.queries.map(({ expr }) => withoutVariables(expr)));
  const rules = exprs.map((expr, index) => ({ record: `query:number_${index}`, expr }));
  writeFileSync(join(drafts, 'rules.yml'), stringify({ groups: [{ name: 'queries', rules }] }));
  const faults = promtoolFaults(promtool, ['check', 'rules', join(drafts, 'rules.yml')]);
  report.check('promtool parses all queries', faults);
} finally {
  rmSync(drafts, { recursive: true });
}
process.exit(report.close());
