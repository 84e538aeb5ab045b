import { engines } from './engines.ts';
import type { Dashboard } from './model.ts';
import { models } from './models.ts';
import { overview } from './overview.ts';
import { runs } from './runs.ts';

export { grafanaJson } from './grafana.ts';

export const DASHBOARDS: readonly Dashboard[] = [overview, runs, models, engines];
