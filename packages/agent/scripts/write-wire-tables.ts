import { readFileSync, writeFileSync } from 'node:fs';
import { renderWireTables } from '../src/wire/tables.ts';

// Writes what the code says of every message of the wire into docs/protocol.md.
const path = new URL('../../../docs/protocol.md', import.meta.url);
const parts = /^([\s\S]*<!-- wire tables -->\n)[\s\S]*(<!-- end of wire tables -->[\s\S]*)$/.exec(
  readFileSync(path, 'utf8'),
);
if (!parts) throw new Error('docs/protocol.md has no place for the tables');
writeFileSync(path, `${parts[1]}\n${renderWireTables()}\n\n${parts[2]}`);
