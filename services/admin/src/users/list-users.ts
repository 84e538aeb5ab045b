import { type ConfiguredUsers, policyOf } from '@tandem/platform';
import { table } from '../table.ts';

/** All users with their keys, and what limits them. */
export function listUsers({ groups, users }: ConfiguredUsers, now: number): string {
  const rows = users.map((user) => {
    const { models, limits } = policyOf(user, groups);
    const limited = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
    return [
      user.id,
      user.groups.join(', '),
      user.keys.map((key) => `${key.id}${stateOf(key, now)}`).join(', '),
      models?.join(', ') ?? 'all',
      limited.join(', '),
    ];
  });
  return table(['user', 'groups', 'keys', 'models', 'limits'], rows);
}

function stateOf(
  { disabled, expires }: { disabled: boolean; expires?: number | undefined },
  now: number,
): string {
  if (disabled) return ' (revoked)';
  if (expires === undefined) return '';
  return expires <= now ? ' (expired)' : ` (until ${new Date(expires).toISOString().slice(0, 16)}Z)`;
}
