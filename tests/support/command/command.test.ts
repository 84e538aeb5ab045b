import { expect, test } from 'vitest';
import { helpOf } from './command.ts';

test('help names the call, its flags with their defaults, and what it reads besides', () => {
  const help = helpOf({
    call: 'npm run sail --',
    about: 'Sails somewhere.',
    flags: {
      knots: { type: 'string', default: '5', value: 'N', about: 'how fast' },
      json: { type: 'boolean', default: false, about: 'the log as JSON' },
    },
    positionals: { port: 'where to' },
    environment: { WIND: 'from where it blows' },
  });
  expect(help).toBe(`Usage: npm run sail -- [port] [options]

Sails somewhere.

Arguments:
  port  where to

Options:
  --knots N  how fast (5)
  --json     the log as JSON
  --help     show this text

Environment:
  WIND  from where it blows`);
});
