import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DASHBOARDS, grafanaJson } from '../../deploy/grafana/index.ts';
import { exportedMetrics } from '../../tests/observability/exported.ts';
import { Report } from '../check-helm/report.ts';
import { help } from '../help.ts';
import { ALERT_TESTS_FILE, ALERTS_FILE, findPrometheus, readAlerts } from '../prometheus/prometheus.ts';
import { root } from '../toolchain.mjs';
import { nameFaults } from './names.ts';
import { promtoolFaults, queryFaults } from './promtool.ts';

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
  report.check(
    name,
    panel.queries.flatMap(({ expr }) => nameFaults(expr, exported).map((fault) => `${expr}: ${fault}`)),
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

const { promtool } = await findPrometheus((line) => console.error(line));
const exprs = panels.flatMap(({ panel }) => panel.queries.map(({ expr }) => expr));
report.check('promtool parses all queries', queryFaults(promtool, exprs));
report.check('promtool check rules', promtoolFaults(promtool, ['check', 'rules', ALERTS_FILE]));
report.check('promtool test rules', promtoolFaults(promtool, ['test', 'rules', ALERT_TESTS_FILE]));
process.exit(report.close());
