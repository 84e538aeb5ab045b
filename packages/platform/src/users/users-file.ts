import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError, type ConfigFault } from '../config/index.ts';

const identifier = z.string().regex(/^[\w.@+-]{1,128}$/, 'must be 1 to 128 letters, digits or . _ @ + -');

const keySchema = z.strictObject({
  id: identifier,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be the key's SHA-256 as 64 lower-case hex digits"),
  expires: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .optional(),
  disabled: z.boolean().default(false),
});

const userSchema = z.strictObject({
  id: identifier,
  name: z.string().optional(),
  groups: z.array(identifier).default([]),
  keys: z.array(keySchema),
});

const fileSchema = z.strictObject({ users: z.array(userSchema) });

/** A configured user. The id is for good: everything of a user is stored under it. */
export type ConfiguredUser = z.output<typeof userSchema>;

/**
 * Reads the file of users; repeats in it are for `findRepeats`:
 *
 * ```yaml
 * users:
 *   - id: alice
 *     name: Alice        # optional
 *     groups: [staff]    # optional
 *     keys:
 *       - id: laptop
 *         sha256: 2c26…  # of the key
 *         expires: 2027-01-31T00:00:00Z  # optional
 *         disabled: true # optional
 * ```
 *
 * @throws {ConfigError} with every fault, by its place in the file; values are never quoted
 */
export function parseUsersFile(text: string): ConfiguredUser[] {
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
  const result = fileSchema.safeParse(document.toJS());
  if (!result.success) throw new ConfigError(result.error.issues.map(describeIssue));
  return result.data.users;
}

function describeIssue({ path, message, ...issue }: z.core.$ZodIssue): ConfigFault {
  const reason = issue.code === 'unrecognized_keys' ? 'has an entry that is not known' : message;
  return { where: path.length > 0 ? path.join('.') : 'file', reason };
}

/** A user named twice, a key id twice with one user, or one key with two: whose it is would be chance. */
export function findRepeats(users: readonly ConfiguredUser[]): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const seen = new Set<string>();
  const once = (what: string, where: string, reason: string) => {
    if (seen.has(what)) faults.push({ where, reason });
    seen.add(what);
  };
  for (const [at, user] of users.entries()) {
    once(`user ${user.id}`, `users.${at}.id`, 'is used by an earlier user');
    for (const [keyAt, key] of user.keys.entries()) {
      const where = `users.${at}.keys.${keyAt}`;
      once(`id ${at} ${key.id}`, `${where}.id`, 'is used by an earlier key of this user');
      once(`key ${key.sha256}`, `${where}.sha256`, 'is the same key as an earlier one');
    }
  }
  return faults;
}
