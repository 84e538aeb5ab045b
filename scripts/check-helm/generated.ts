import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { catalogueSchema } from '../../packages/platform/src/index.ts';
import { root } from '../toolchain.mjs';
import { type Combination, chart } from './chart.ts';
import { describe, readValues, type Schema } from './described.ts';
import { chartReadme } from './readme.ts';

/**
 * Compares what follows from other files with what it should be: the chart's README; in values.schema.json the descriptions and
 * defaults, and the form of models. @param write brings it up to date first @returns the faults
 */
export function generatedFaults(all: readonly Combination[], write: boolean): string[] {
  const values = readValues(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  const schemaFile = join(chart, 'values.schema.json');
  const schema = withCatalogue(JSON.parse(readFileSync(schemaFile, 'utf8')));
  const wanted = [
    [schemaFile, `${JSON.stringify(describe(schema, values), null, 2)}\n`],
    [join(chart, 'README.md'), chartReadme(values, all)],
  ] as const;
  return wanted.flatMap(([path, text]) => {
    if (write) writeFileSync(path, text);
    const advice = 'is out of date: run npm run check:helm -- --write';
    return readFileSync(path, 'utf8') === text ? [] : [`${relative(root, path)} ${advice}`];
  });
}

/** The list of models has the form that the services' own reader takes. */
function withCatalogue(schema: Schema & { properties: { models: { properties: object } } }): Schema {
  const options = { io: 'input', target: 'draft-7', unrepresentable: 'any' } as const;
  const catalogue = z.toJSONSchema(catalogueSchema, options).properties?.models;
  Object.assign(schema.properties.models.properties, { catalogue });
  return schema;
}
