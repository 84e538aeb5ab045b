import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../toolchain.mjs';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export const ALERTS_FILE = join(root, 'deploy/helm/tandem/files/prometheus/alerts.yml');
export const ALERT_TESTS_FILE = join(root, 'deploy/prometheus/alerts.test.yml');

/** The alerts that are delivered. */
export function readAlerts(): Alert[] {
  const { groups } = parse(readFileSync(ALERTS_FILE, 'utf8')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
