import type { Exported } from '../../tests/observability/exported.ts';

const BEGIN = '<!-- metrics: npm run check:metrics -- --write -->';
const END = '<!-- /metrics -->';

/** Our own metrics as a table in Markdown, the service's own ones together. */
export function metricsTable(all: readonly Exported[]): string {
  const own = all.filter(({ name }) => name.startsWith('tandem_'));
  const rows = own.map(
    ({ name, type, labels, services, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${services.join(', ')} | ${help} |`,
  );
  return ['| metric | type | labels | of | what |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** The document with this table between the two marks. @throws Error when it has no marks */
export function inDocument(document: string, table: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/operations.md has no ${BEGIN} and ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${document.slice(end)}`;
}
