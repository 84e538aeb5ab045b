import type { Logger, Metrics } from '@tandem/platform';
import type { GateObserver } from '../limits/call-gate.ts';

export interface UsageMetricsOptions {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly models: readonly string[];
  /** Users to count one by one: the only values of that label, others are `other`. Undefined: users are not counted. */
  readonly users: readonly string[] | undefined;
}

/** Counts and logs what the limits of users and groups do. */
export function usageMetrics({ metrics, log, models, users }: UsageMetricsOptions): GateObserver {
  const refused = metrics.counter({
    name: 'model_calls_refused_total',
    help: 'Model calls that a limit of a user or group kept from being made.',
    labels: { limit: ['models', 'turns', 'tokens', 'money'], of: ['user', 'group'] },
  });
  const warnings = metrics.counter({
    name: 'limit_warnings_total',
    help: 'Users that were warned of a limit of the day, once a limit.',
    labels: { limit: ['tokens', 'money'], of: ['user', 'group'] },
  });
  const faults = metrics.counter({
    name: 'usage_ledger_faults_total',
    help: 'Calls of the ledger of usage that failed; what they were to book is booked later.',
  });
  const used = users && usersCounters(metrics, models, users);
  return {
    refused: (ownerId, limit, scope) => {
      refused.inc({ limit, of: kindOf(scope) });
      log.info({ ownerId, limit, scope }, 'a model call was refused by a limit');
    },
    warned: (ownerId, { limit, scope, spent }) => {
      warnings.inc({ limit, of: kindOf(scope) });
      log.info({ ownerId, limit, scope, spent }, 'a limit of the day is near');
    },
    ledgerFailed: (err) => {
      faults.inc({});
      log.warn({ err }, 'the ledger of usage did not answer');
    },
    ...(used && { used }),
  };
}

function usersCounters(
  metrics: Metrics,
  models: readonly string[],
  users: readonly string[],
): NonNullable<GateObserver['used']> {
  const labels = { user: users, model: models };
  const tokens = metrics.counter({
    name: 'user_tokens_total',
    help: 'Tokens by user, as providers counted them.',
    labels: { ...labels, kind: ['input', 'output', 'cache_read', 'cache_write'] },
  });
  const cost = metrics.counter({
    name: 'user_cost_total',
    help: "Cost by user, in the unit of the catalogue's prices.",
    labels,
  });
  return (user, model, usage, money) => {
    tokens.inc({ user, model, kind: 'input' }, usage.inputTokens);
    tokens.inc({ user, model, kind: 'output' }, usage.outputTokens);
    tokens.inc({ user, model, kind: 'cache_read' }, usage.cacheReadTokens);
    tokens.inc({ user, model, kind: 'cache_write' }, usage.cacheWriteTokens);
    if (money > 0) cost.inc({ user, model }, money);
  };
}

function kindOf(scope: string): string {
  return scope.startsWith('group:') ? 'group' : 'user';
}
