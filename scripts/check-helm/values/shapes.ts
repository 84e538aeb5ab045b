/** A JSON schema (draft 7), as far as the chart's values need it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export const bool: Schema = { type: 'boolean' };
export const text: Schema = { type: 'string' };
export const anything: Schema = { type: 'object' };
export const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } };

/** Seconds, minutes and so on, as the services read them. */
export const duration = pattern('^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$');
/** Bytes, as the services read them. */
export const byteSize = pattern('^\\d+(\\.\\d+)?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$');
/** An amount, as Kubernetes reads it. */
export const quantity: Schema = {
  type: ['string', 'number'],
  pattern: '^\\d+(\\.\\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$',
};
/** A volume's size. */
export const volumeSize = pattern('^\\d+(\\.\\d+)?(Ki|Mi|Gi|Ti|k|M|G|T)$');
export const digest = pattern('^(sha256:[0-9a-f]{64})?$');
/** A tag that names one version. */
export const exactTag: Schema = {
  type: 'string',
  pattern: '^[\\w][\\w.-]{0,127}$',
  not: { pattern: '^(latest|main|edge|stable|lts)$' },
};
export const hostName = pattern(
  '^(\\*\\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$',
);
export const secretName = pattern('^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$');
export const secretKey = pattern('^[A-Za-z0-9._-]*$');

export function pattern(expression: string): Schema {
  return { type: 'string', pattern: expression };
}

export function integer(minimum: number, maximum: number): Schema {
  return { type: 'integer', minimum, maximum };
}

export function oneOf(...words: readonly (string | number)[]): Schema {
  return { enum: words };
}

export function list(items: Schema, more: Schema = {}): Schema {
  return { type: 'array', items, ...more };
}

/** An object with these values and no other. */
export function group(properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema {
  return { type: 'object', additionalProperties: false, properties, ...more };
}

/** Where a value is `equal`, another has to satisfy `then`. Paths are written with dots. */
export function when(path: string, equal: unknown, then: readonly [string, Schema]): Schema {
  // biome-ignore lint/suspicious/noThenProperty: JSON schema's own word.
  return { if: at(path, { const: equal }, true), then: at(then[0], then[1], false) };
}

/** A schema for the value at a path; `present`: the path has to exist. */
export function at(path: string, schema: Schema, present: boolean): Schema {
  return path.split('.').reduceRight<Schema>(
    (inner, name) => ({
      properties: { [name]: inner },
      ...(present && { required: [name] }),
    }),
    schema,
  );
}
