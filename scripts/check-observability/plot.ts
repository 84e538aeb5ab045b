import { Resvg } from '@resvg/resvg-js';
import type { Dashboard, Panel } from '../dashboards/index.ts';
import type { Series } from './prometheus.ts';

/** A panel with what its queries gave. */
export interface Plotted {
  readonly panel: Panel;
  readonly series: readonly { readonly name: string; readonly samples: Series['samples'] }[];
}

export interface PlottedRow {
  readonly title: string;
  readonly panels: readonly Plotted[];
}

const WIDTH = 1500;
const HEAD = 34;
const PLOT = { height: 250, top: 34, bottom: 74, left: 62, right: 14 };
const STAT_HEIGHT = 110;
const COLORS = [
  '#3274d9',
  '#e0752d',
  '#299c46',
  '#a352cc',
  '#c4162a',
  '#0a8a8a',
  '#b7791f',
  '#6b7280',
  '#d6336c',
  '#4b5d16',
];
const MOST_NAMES = 8;

/** Draws a dashboard as a PNG: one plot a panel, over one time. */
export function drawDashboard(
  dashboard: Dashboard,
  rows: readonly PlottedRow[],
  from: number,
  to: number,
): Uint8Array {
  const parts: string[] = [];
  let y = 0;
  parts.push(label(16, y + 30, dashboard.title, 22, '#111', 'bold'));
  parts.push(label(16, y + 52, dashboard.about, 13, '#555'));
  y += 64;
  for (const row of rows) {
    parts.push(`<rect x="0" y="${y}" width="${WIDTH}" height="${HEAD - 8}" fill="#e9edf2"/>`);
    parts.push(label(16, y + 18, row.title, 14, '#222', 'bold'));
    y += HEAD;
    const stats = row.panels.every(({ panel }) => panel.kind === 'stat');
    const columns = Math.min(row.panels.length, stats ? 6 : row.panels.length > 4 ? 3 : row.panels.length);
    const width = WIDTH / columns;
    const height = stats ? STAT_HEIGHT : PLOT.height;
    row.panels.forEach((plotted, index) => {
      const x = (index % columns) * width;
      const top = y + Math.floor(index / columns) * height;
      parts.push(
        `<g transform="translate(${x},${top})">${stats ? stat(plotted, width) : plot(plotted, width, from, to)}</g>`,
      );
    });
    y += Math.ceil(row.panels.length / columns) * height + 6;
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" font-family="DejaVu Sans, sans-serif"><rect width="100%" height="100%" fill="#fff"/>${parts.join('')}</svg>`;
  return new Resvg(svg, { font: { loadSystemFonts: true } }).render().asPng();
}

function frame(width: number, height: number, title: string): string {
  return `<rect x="4" y="0" width="${width - 8}" height="${height - 6}" rx="3" fill="#fff" stroke="#d5dae0"/>${label(14, 20, title, 13, '#222', 'bold')}`;
}

function stat({ panel, series }: Plotted, width: number): string {
  const shown = series.map(({ name, samples }) => ({ name, value: last(samples) }));
  const bodies = shown.map(({ name, value }, index) => {
    const x = 16 + (index * (width - 30)) / Math.max(1, shown.length);
    const text = value === undefined ? 'no data' : withUnit(value, panel.unit);
    return `${label(x, 66, text, shown.length > 1 ? 22 : 30, colorOf(panel, value), 'bold')}${label(x, 90, name, 11, '#666')}`;
  });
  return (
    frame(width, STAT_HEIGHT, panel.title) + (bodies.join('') || label(16, 60, 'no data', 20, '#c4162a'))
  );
}

function colorOf({ warnAt, badAt, goodFrom }: Panel, value: number | undefined): string {
  if (value === undefined || value < (goodFrom ?? Number.NEGATIVE_INFINITY)) return '#c4162a';
  if (badAt !== undefined && value >= badAt) return '#c4162a';
  return warnAt !== undefined && value >= warnAt ? '#b7791f' : '#299c46';
}

function plot({ panel, series }: Plotted, width: number, from: number, to: number): string {
  const drawn = panel.stacked ? stacked(series) : series;
  const values = drawn.flatMap(({ samples }) => samples.map(([, value]) => value).filter(Number.isFinite));
  const out = [frame(width, PLOT.height, panel.title)];
  if (values.length === 0) return out.join('') + label(width / 2 - 30, 110, 'no data', 16, '#c4162a');
  const top = panel.max ?? (Math.max(...values) * 1.1 || 1);
  const inner = { w: width - PLOT.left - PLOT.right, h: PLOT.height - PLOT.top - PLOT.bottom };
  const xOf = (at: number) => PLOT.left + ((at - from) / Math.max(1, to - from)) * inner.w;
  const yOf = (value: number) => PLOT.top + inner.h - (value / top) * inner.h;
  for (const part of [0, 0.5, 1]) {
    const y = yOf(top * part);
    out.push(`<line x1="${PLOT.left}" x2="${width - PLOT.right}" y1="${y}" y2="${y}" stroke="#e3e7ec"/>`);
    out.push(
      `<text x="${PLOT.left - 6}" y="${y + 4}" font-size="10" fill="#666" text-anchor="end">${withUnit(top * part, panel.unit)}</text>`,
    );
  }
  out.push(label(PLOT.left, PLOT.height - PLOT.bottom + 14, '0 s', 10, '#666'));
  out.push(
    `<text x="${width - PLOT.right}" y="${PLOT.height - PLOT.bottom + 14}" font-size="10" fill="#666" text-anchor="end">${Math.round(to - from)} s</text>`,
  );
  drawn.forEach(({ name, samples }, index) => {
    const color = COLORS[index % COLORS.length];
    for (const path of paths(samples, xOf, yOf))
      out.push(`<path d="${path}" fill="none" stroke="${color}" stroke-width="1.6"/>`);
    if (index >= MOST_NAMES) return;
    const column = index % 2;
    const y = PLOT.height - PLOT.bottom + 30 + Math.floor(index / 2) * 12;
    const x = 16 + (column * (width - 24)) / 2;
    out.push(
      `<rect x="${x}" y="${y - 7}" width="9" height="3" fill="${color}"/>${label(x + 14, y - 2, name.slice(0, Math.floor(width / 15)), 10, '#333')}`,
    );
  });
  return out.join('');
}

/** Each upon the sum of those before it. */
function stacked(series: Plotted['series']): Plotted['series'] {
  const sums = new Map<number, number>();
  return series.map(({ name, samples }) => ({
    name,
    samples: samples.map(([at, value]) => {
      const sum = (sums.get(at) ?? 0) + (Number.isFinite(value) ? value : 0);
      sums.set(at, sum);
      return [at, sum] as const;
    }),
  }));
}

function paths(
  samples: Series['samples'],
  xOf: (at: number) => number,
  yOf: (value: number) => number,
): string[] {
  const found: string[] = [];
  let path = '';
  for (const [at, value] of samples) {
    if (Number.isFinite(value)) path += `${path ? 'L' : 'M'}${xOf(at).toFixed(1)},${yOf(value).toFixed(1)}`;
    else if (path) {
      found.push(path);
      path = '';
    }
  }
  return path ? [...found, path] : found;
}

function last(samples: Series['samples']): number | undefined {
  return samples.findLast(([, value]) => Number.isFinite(value))?.[1];
}

function withUnit(value: number, unit: string): string {
  switch (unit) {
    case 'percentunit':
      return `${round(value * 100)} %`;
    case 's':
      return value !== 0 && value < 1 ? `${round(value * 1000)} ms` : `${round(value)} s`;
    case 'bytes':
    case 'Bps': {
      const size = value >= 2 ** 20 ? `${round(value / 2 ** 20)} MiB` : `${round(value / 1024)} KiB`;
      return unit === 'Bps' ? `${size}/s` : size;
    }
    case 'reqps':
      return `${round(value)}/s`;
    default:
      return round(value);
  }
}

function round(value: number): string {
  return value >= 1000 ? `${Math.round(value / 100) / 10} k` : String(Number(value.toPrecision(3)));
}

function label(x: number, y: number, text: string, size: number, color: string, weight = 'normal'): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${color}" font-weight="${weight}">${safe}</text>`;
}
