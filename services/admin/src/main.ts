#!/usr/bin/env node
// `tandem`: what administrators do. Users and keys in the file of users, and what was used.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { clusterConfigShape, EngineUnavailable, openUsage } from '@tandem/cluster';
import { ConfigError, kind, readConfig, sectionHelp, setting, usersSettings } from '@tandem/platform';
import { CommandFault } from './command-fault.ts';
import { showUsage, usageQuery } from './usage/usage-command.ts';
import { usersCommand } from './users/users-command.ts';

const COMMANDS = `tandem users list [--json]
tandem users add USER [--key NAME] [--name TEXT] [--group GROUP]… [--expires 90d]
tandem users revoke USER [--key NAME]           ends that key, or all
tandem users rotate USER [--key NAME] [--grace 24h] [--expires 90d]
    --file FILE      the file of users, else TANDEM_USERS_FILE; - for standard input
    --print          write the new file to standard output instead
    --key-file FILE  write the new key there instead of to standard output
    --audit FILE     append audit lines there too, else TANDEM_AUDIT_LOG
tandem usage [--day today|yesterday|2027-01-31] [--user USER] [--groups] [--json]
    reads TANDEM_REDIS_URL`;

/** What the command takes from its environment. */
export const shape = {
  usersFile: usersSettings.file,
  auditFile: setting('AUDIT_LOG', kind.optional(kind.text()), 'a file that audit lines are appended to'),
  redisUrl: clusterConfigShape.redisUrl,
};

if (import.meta.main) await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  try {
    await run(argv);
  } catch (error) {
    if (!isFaultOfUse(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

function isFaultOfUse(error: unknown): error is Error {
  return (
    error instanceof CommandFault ||
    error instanceof ConfigError ||
    error instanceof EngineUnavailable ||
    (error instanceof Error && 'syscall' in error)
  );
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  if (args.includes('--help')) return showHelp();
  const config = readConfig(shape, process.env);
  switch (command) {
    case 'users':
      return usersCommand(args, {
        ...config,
        actor: process.env.SUDO_USER ?? userInfo().username,
        now: Date.now,
        stdout: (text) => process.stdout.write(text),
        stderr: (text) => process.stderr.write(`${text}\n`),
        stdin: () => readFileSync(0, 'utf8'),
      });
    case 'usage': {
      const query = usageQuery(args, Date.now());
      const { usage, close } = await openUsage(config.redisUrl, 'tandem-admin');
      try {
        process.stdout.write(await showUsage(usage, query));
      } finally {
        await close();
      }
      return;
    }
    default:
      showHelp();
      if (command !== undefined && command !== 'help' && command !== '--help') process.exitCode = 2;
  }
}

function showHelp(): void {
  process.stdout.write(`${COMMANDS}\n\n${sectionHelp({ title: 'Variables', shape })}\n`);
}
