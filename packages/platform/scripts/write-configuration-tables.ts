import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './configuration-tables.ts';

// Writes what the code says of every setting into docs/configuration.md.
const path = new URL('../../../docs/configuration.md', import.meta.url);
writeFileSync(path, withTables(readFileSync(path, 'utf8')));
