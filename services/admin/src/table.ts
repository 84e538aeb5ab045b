/** Lines of aligned columns, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(shown))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const rightwards = head.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        rightwards[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

function shown(cell: string | number): string {
  return typeof cell === 'string' ? cell : cell.toLocaleString('en', { maximumFractionDigits: 4 });
}
