import { type Limits, mostGenerous } from './limits.ts';
import type { ConfiguredGroup, ConfiguredUser } from './users-file.ts';

/** What a user may do. */
export interface UserPolicy {
  readonly ownerId: string;
  /** Ids of the models that the user may use; undefined: all of them. */
  readonly models: readonly string[] | undefined;
  /** Of this user alone. */
  readonly limits: Limits;
  /** The user's groups that have limits, which their members share. */
  readonly groups: readonly { readonly id: string; readonly limits: Limits }[];
}

/**
 * What a user may do, by its own entry and those of its groups:
 *
 * - The models are those of all its groups together. A group that lists none says nothing about models; a user none of
 *   whose groups lists any may use all.
 * - Each limit is the user's own, else the most generous that a group has for each of its members.
 * - Limits that a group's members share hold besides, for every group.
 */
export function policyOf(user: ConfiguredUser, groups: readonly ConfiguredGroup[]): UserPolicy {
  const mine = groups.filter(({ id }) => user.groups.includes(id));
  const lists = mine.flatMap(({ models }) => (models ? [models] : []));
  return Object.freeze({
    ownerId: user.id,
    models: lists.length === 0 ? undefined : Object.freeze([...new Set(lists.flat())]),
    limits: { ...mostGenerous(mine.map(({ memberLimits }) => memberLimits)), ...user.limits },
    groups: mine
      .filter(({ limits }) => Object.keys(limits).length > 0)
      .map(({ id, limits }) => ({ id, limits })),
  });
}

/** Whether a user may use a model, given by its id in the catalogue. */
export function mayUse(
  { models }: { readonly models?: readonly string[] | undefined },
  modelId: string,
): boolean {
  return models === undefined || models.includes(modelId);
}
