import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError, type ConfigFault } from '../config/config-error.ts';
import { limitsSchema } from './limits.ts';

const identifier = z.string().regex(/^[\w.@+-]{1,128}$/, 'must be 1 to 128 letters, digits or . _ @ + -');

const keySchema = z.strictObject({
  id: identifier.describe("the key's name, once a user"),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the key's SHA-256 as 64 lower-case hex digits")
    .describe("the key's SHA-256, 64 lower-case hexadecimal digits"),
  expires: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .optional()
    .describe('when it ends, such as `2027-01-31T00:00:00Z`'),
  disabled: z.boolean().default(false).describe('refuse it, but keep its entry'),
});

const userSchema = z.strictObject({
  id: identifier.describe('for good: everything of the user is stored under it'),
  name: z.string().optional().describe('for people to read'),
  groups: z.array(identifier).default([]).describe('ids of groups that this file describes'),
  limits: limitsSchema.optional().describe('these take the place of what the groups have for each member'),
  keys: z.array(keySchema).describe("the user's keys"),
});

const groupSchema = z.strictObject({
  id: identifier.describe("the group's name"),
  models: z
    .array(z.string().min(1))
    .optional()
    .describe('ids of the models that members may use; unset: says nothing about models'),
  limits: limitsSchema.default({}).describe('of all members together'),
  memberLimits: limitsSchema.default({}).describe('of each member'),
});

/** The form of the file of users. */
export const usersFileSchema = z.strictObject({
  groups: z.array(groupSchema).default([]).describe('groups and their limits'),
  users: z.array(userSchema).describe('users and their keys'),
});

/** A configured user. The id is for good: everything of a user is stored under it. */
export type ConfiguredUser = z.output<typeof userSchema>;
export type ConfiguredGroup = z.output<typeof groupSchema>;

/** All that the file of users says. */
export type ConfiguredUsers = z.output<typeof usersFileSchema>;

/**
 * Reads the file of users; what does not fit together in it is for `findConflicts`:
 *
 * ```yaml
 * groups:                # optional; see `policyOf`
 *   - id: staff
 *     models: [sonnet]   # optional
 *     limits: { tokensPerDay: 50000000, moneyPerDay: 200 }      # of all members together; optional
 *     memberLimits: { concurrentTurns: 4, tokensPerDay: 5000000 } # of each member; optional
 * users:
 *   - id: alice
 *     name: Alice        # optional
 *     groups: [staff]    # optional
 *     limits: { moneyPerDay: 20 } # optional
 *     keys:
 *       - id: laptop
 *         sha256: 2c26…  # of the key
 *         expires: 2027-01-31T00:00:00Z  # optional
 *         disabled: true # optional
 * ```
 *
 * @throws {ConfigError} with every fault, by its place in the file; values are never quoted
 */
export function parseUsersFile(text: string): ConfiguredUsers {
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    // Not the parser's message: it quotes the line.
    throw new ConfigError(
      document.errors.map(({ code, linePos }) => ({
        where: `line ${linePos?.[0].line ?? '?'}`,
        reason: code,
      })),
    );
  }
  // As the core schema has no times, an unquoted time is a text here.
  const result = usersFileSchema.safeParse(document.toJS());
  if (!result.success) throw new ConfigError(result.error.issues.map(describeIssue));
  return result.data;
}

function describeIssue({ path, message, ...issue }: z.core.$ZodIssue): ConfigFault {
  const reason = issue.code === 'unrecognized_keys' ? 'has an entry that is not known' : message;
  return { where: path.length > 0 ? path.join('.') : 'file', reason };
}

/**
 * A user or group named twice, a key id twice with one user, or one key with two: whose it is would be chance. And a
 * group that is not described: a slip of the pen would lift what its members are bound by.
 */
export function findConflicts({ groups, users }: ConfiguredUsers): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const seen = new Set<string>();
  const once = (what: string, where: string, reason: string) => {
    if (seen.has(what)) faults.push({ where, reason });
    seen.add(what);
  };
  for (const [at, { id }] of groups.entries())
    once(`group ${id}`, `groups.${at}.id`, 'is used by an earlier group');
  for (const [at, user] of users.entries()) {
    once(`user ${user.id}`, `users.${at}.id`, 'is used by an earlier user');
    for (const [groupAt, group] of user.groups.entries()) {
      if (seen.has(`group ${group}`)) continue;
      faults.push({ where: `users.${at}.groups.${groupAt}`, reason: 'is not described under groups' });
    }
    for (const [keyAt, key] of user.keys.entries()) {
      const where = `users.${at}.keys.${keyAt}`;
      once(`id ${at} ${key.id}`, `${where}.id`, 'is used by an earlier key of this user');
      once(`key ${key.sha256}`, `${where}.sha256`, 'is the same key as an earlier one');
    }
  }
  return faults;
}
