import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Combination, chart } from './chart.ts';
import type { Value } from './described.ts';
import { readTable } from './flows.ts';

/** The chart's README: the text of README.template.md, with the tables that follow from files of the chart. */
export function chartReadme(values: readonly Value[], all: readonly Combination[]): string {
  const text = readFileSync(join(chart, 'README.template.md'), 'utf8');
  const tables: Readonly<Record<string, string>> = {
    values: valuesTable(values),
    flows: flowsTable(),
    combinations: table(
      ['values', 'what for'],
      all
        .filter(({ file }) => file)
        .map(({ name, purpose }) => [`[ci/${name}.yaml](ci/${name}.yaml)`, purpose]),
    ),
  };
  const notice =
    '<!-- Made from README.template.md, values.yaml and files/flows.yaml by `npm run check:helm -- --write`. -->';
  return `${notice}\n\n${text.replaceAll(/^<!-- (\w+) -->$/gm, (whole, name) => tables[name] ?? whole)}`;
}

function valuesTable(values: readonly Value[]): string {
  const code = (text: string) => `\`${text}\``;
  const rows = values.map((value) => [
    code(value.path),
    value.description,
    code(JSON.stringify(value.default)),
  ]);
  return table(['value', 'what it is', 'default'], rows);
}

function flowsTable(): string {
  const { flows, local } = readTable(readFileSync(join(chart, 'files/flows.yaml'), 'utf8'));
  const rows = flows.map(({ from, to, ports, when = 'always', why }) => [
    from,
    to,
    ports
      .map(
        ({ port, value, values: path, protocol }) =>
          `${port ?? `\`${value ?? path}\``}${protocol === 'UDP' ? '/UDP' : ''}`,
      )
      .join(', '),
    why,
    when,
  ]);
  const unbound = 'always (not bound by policies)';
  const probes = local.map(({ component, port, why }) => ['kubelet', component, String(port), why, unbound]);
  return table(['from', 'to', 'port', 'why', 'when'], [...rows, ...probes]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
