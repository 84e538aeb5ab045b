import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARDS, type Panel, type Query } from '../dashboards/index.ts';
import { withoutVariables } from '../prometheus/promql.ts';
import { root } from '../toolchain.mjs';
import { drawDashboard, type Plotted } from './plot.ts';
import type { Prometheus } from './prometheus.ts';
import { RATE_INTERVAL } from './queries.ts';

const FOLDER = join(root, '.data/observability');

/** Draws all dashboards over the run into files. @returns the files */
export async function drawReport(prometheus: Prometheus, from: number, to: number): Promise<string[]> {
  mkdirSync(FOLDER, { recursive: true });
  const files: string[] = [];
  for (const dashboard of DASHBOARDS) {
    const rows = await Promise.all(
      dashboard.rows.map(async ({ title, panels }) => ({
        title,
        panels: await Promise.all(panels.map((panel) => plotted(prometheus, panel, from, to))),
      })),
    );
    const file = join(FOLDER, `${dashboard.uid}.png`);
    writeFileSync(file, drawDashboard(dashboard, rows, from, to));
    files.push(file);
  }
  return files;
}

async function plotted(prometheus: Prometheus, panel: Panel, from: number, to: number): Promise<Plotted> {
  const found = await Promise.all(
    panel.queries.map(async (query) => {
      const all = await prometheus.range(withoutVariables(query.expr, RATE_INTERVAL), from, to);
      return all.map(({ labels, samples }) => ({ name: nameOf(query, labels), samples }));
    }),
  );
  return { panel, series: found.flat() };
}

function nameOf({ legend }: Query, labels: Readonly<Record<string, string>>): string {
  return legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '');
}
