import { parseArgs } from 'node:util';
import type { UsageLedger, UsageRow } from '@tandem/actor-core';
import { CommandFault } from '../command-fault.ts';
import { table } from '../table.ts';

/** Money is kept in billionths of the unit of prices. */
const MONEY_UNIT = 1_000_000_000;

const OPTIONS = {
  day: { type: 'string' },
  user: { type: 'string' },
  groups: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** What is asked for. */
export interface UsageQuery {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly user: string | undefined;
  /** The groups' sums instead of the users'. */
  readonly groups: boolean;
  readonly json: boolean;
}

/**
 * Reads the arguments of `tandem usage`.
 * @throws CommandFault
 */
export function usageQuery(args: readonly string[], now: number): UsageQuery {
  const { day = 'today', user, groups, json } = optionsOf(args);
  return { day: dayOf(day, now), user, groups, json };
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}

function dayOf(text: string, now: number): string {
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  if (text === 'today') return iso(now);
  if (text === 'yesterday') return iso(now - 24 * 60 * 60 * 1000);
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(time) || iso(time) !== text) {
    throw new CommandFault('--day takes today, yesterday or a date such as 2027-01-31');
  }
  return text;
}

/** A day's usage as a text: a table, or JSON with the same figures. */
export async function showUsage(ledger: Pick<UsageLedger, 'report'>, query: UsageQuery): Promise<string> {
  const kind = query.groups ? 'group' : 'user';
  const rows = (await ledger.report(query.day)).flatMap(({ scope, ...row }) => {
    const [is, id] = [scope.slice(0, scope.indexOf(':')), scope.slice(scope.indexOf(':') + 1)];
    return is === kind && (query.user ?? id) === id ? [{ id, ...row, money: row.money / MONEY_UNIT }] : [];
  });
  if (query.json) {
    const named = rows.map(({ id, ...row }) => ({ [kind]: id, ...row }));
    return `${JSON.stringify({ day: query.day, rows: named }, null, 2)}\n`;
  }
  const head = [kind, 'model', 'calls', 'input', 'output', 'cache read', 'cache write', 'estimated', 'money'];
  return `${query.day} (UTC)\n\n${table(head, [...rows, sum(rows)].map(cells))}`;
}

type Line = Omit<UsageRow, 'scope'> & { readonly id: string };

function cells({ id, model, ...row }: Line): (string | number)[] {
  const { calls, input, output, cacheRead, cacheWrite, estimated, money } = row;
  return [id, model, calls, input, output, cacheRead, cacheWrite, estimated, money];
}

function sum(rows: readonly Line[]): Line {
  const total = (kind: Exclude<keyof Line, 'id' | 'model'>) => rows.reduce((all, row) => all + row[kind], 0);
  return {
    id: 'all',
    model: '',
    calls: total('calls'),
    input: total('input'),
    output: total('output'),
    cacheRead: total('cacheRead'),
    cacheWrite: total('cacheWrite'),
    estimated: total('estimated'),
    money: total('money'),
  };
}
