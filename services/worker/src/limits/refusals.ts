import type { Bound, LimitHit } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';

/** Money is counted in billionths of the unit of prices. */
export const MONEY_UNIT = 1_000_000_000;

const MINUTE_MS = 60_000;
const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
/** Models that a refusal names at most. */
const NAMED_MODELS = 5;

/** The UTC day of a time, `YYYY-MM-DD`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Milliseconds until the day's counts begin anew. */
function untilReset(now: number): number {
  return Date.parse(`${dayOf(now)}T00:00:00Z`) + 24 * 60 * MINUTE_MS - now;
}

/** What the user is told when a limit was reached. */
export function limitReached(hit: LimitHit, bounds: readonly Bound[], now: number): TandemError {
  const bound = bounds.find(({ scope }) => scope === hit.scope);
  const most = bound?.[hit.limit];
  if (hit.limit === 'turns') {
    const group = groupOf(hit.scope);
    const turns = most === 1 ? 'a turn' : `${amount(hit, most)} turns`;
    return new TandemError('turn_limit', {
      title: group
        ? `Your group ${group} already runs ${turns}, as many as it may at a time.`
        : `You already run ${turns}, as many as you may at a time.`,
      message: `${hit.scope} is at its limit of concurrent turns`,
    });
  }
  const retryAfterMs = untilReset(now);
  return new TandemError('budget_spent', {
    title: `${subject(hit, most)} for today ${hit.limit === 'tokens' ? 'are' : 'is'} spent.`,
    detail: `${hit.limit === 'tokens' ? 'They reset' : 'It resets'} at 00:00 UTC, in ${duration(retryAfterMs)}.`,
    message: `${hit.scope} has spent its ${hit.limit} of the day`,
    retryAfterMs,
  });
}

/** What the user is told, once a day, when a limit is near. */
export function limitNear(hit: LimitHit & { readonly spent: number }, bounds: readonly Bound[]): string {
  const most = bounds.find(({ scope }) => scope === hit.scope)?.[hit.limit];
  const percent = Math.floor(hit.spent * 100);
  const text = subject(hit, most);
  return `${percent} % of ${text.charAt(0).toLowerCase()}${text.slice(1)} for today ${hit.limit === 'tokens' ? 'are' : 'is'} spent.`;
}

/** What the user is told about a model that is not theirs to use. */
export function modelRefused(modelId: string, allowed: readonly string[]): TandemError {
  const named = allowed.slice(0, NAMED_MODELS).join(', ');
  const more = allowed.length > NAMED_MODELS ? ', …' : '';
  return new TandemError('model_not_allowed', {
    ...(named && { detail: `Choose one of these: ${named}${more}.` }),
    message: `model ${modelId} is not among those of the user's groups`,
  });
}

function subject(hit: LimitHit, most: number | undefined): string {
  const group = groupOf(hit.scope);
  const whose = group ? `The` : 'Your';
  const what = hit.limit === 'tokens' ? `${amount(hit, most)} tokens` : `budget of ${amount(hit, most)}`;
  return group ? `${whose} ${what} of your group ${group}` : `${whose} ${what}`;
}

function amount({ limit }: LimitHit, most: number | undefined): string {
  if (most === undefined) return '';
  return NUMBERS.format(limit === 'money' ? most / MONEY_UNIT : most);
}

function groupOf(scope: string): string | undefined {
  return scope.startsWith('group:') ? scope.slice('group:'.length) : undefined;
}

function duration(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours && `${hours} h`, (rest || !hours) && `${rest} min`].filter(Boolean).join(' ');
}
