import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../turn/actions.ts';
import { ACTION_KINDS } from './client-messages.ts';
import { renderWireTables, WIRE_TABLES } from './tables.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What the package's own code says, its tests, these tables and the list of what only reads left out. */
const SOURCE = readdirSync(at('..'), { recursive: true, encoding: 'utf8' })
  .filter(
    (path) =>
      path.endsWith('.ts') &&
      !/(\.test\.ts|^testing\/|^wire\/|sent-requests)/.test(path.replaceAll('\\', '/')),
  )
  .map((path) => readFileSync(at(`../${path}`), 'utf8'))
  .join('\n');

describe.each(WIRE_TABLES)('$title', ({ message, rows }) => {
  it('says something of every field that the wire has', () => {
    const fields = message.fields.map(({ localName }) => localName);
    expect(fields.filter((field) => !rows[field])).toEqual([]);
  });

  it('says nothing of fields that the wire does not have', () => {
    // A prewarm shares the rows of a run, and has no action, run id and the like.
    if (message.name === 'PrewarmRequest') return;
    const fields = new Set(message.fields.map(({ localName }) => localName));
    expect(Object.keys(rows).filter((field) => !fields.has(field))).toEqual([]);
  });
});

describe('what is sent', () => {
  const kinds = WIRE_TABLES.filter(({ title }) => /Update|Quer|Exec/.test(title)).flatMap(
    ({ message, rows }) =>
      message.oneofs.flatMap(({ fields }) =>
        fields.map(({ localName }) => ({ localName, row: rows[localName] })),
      ),
  );

  it.each(kinds)('$localName is made somewhere exactly if it is said to be sent', ({ localName, row }) => {
    // Gateways make heartbeats; everything else is made here.
    if (localName === 'heartbeat') return;
    expect(new RegExp(`case: '${localName}', ?\\s*value|'${localName}',`).test(SOURCE)).toBe(
      row?.does === 'sent',
    );
  });
});

it('refuses exactly the actions that are said to be refused', () => {
  for (const [kind, { opens, running }] of Object.entries(ACTIONS)) {
    const does = ACTION_KINDS[kind as keyof typeof ACTION_KINDS].does;
    const nowhere = opens === 'refused' && running === 'refused';
    expect([kind, does]).toEqual([kind, nowhere ? 'refused' : 'used']);
  }
});

it('is what docs/protocol.md says (node packages/agent/scripts/write-wire-tables.ts writes it anew)', () => {
  const doc = readFileSync(at('../../../../docs/protocol.md'), 'utf8');
  const [, tables] = /<!-- wire tables -->\n([\s\S]*)<!-- end of wire tables -->/.exec(doc) ?? [];
  expect(tables?.trim()).toBe(renderWireTables());
});
