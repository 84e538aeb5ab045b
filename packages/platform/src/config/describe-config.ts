import { type ConfigOf, type ConfigShape, settingsOf } from './setting.ts';

/**
 * A configuration as a service may print it when it starts: variable → value. Secrets are `***` when set, and so are
 * user and password inside URLs.
 */
export function describeConfig<S extends ConfigShape>(
  shape: S,
  config: ConfigOf<S>,
): Record<string, unknown> {
  const description: Record<string, unknown> = {};
  for (const [path, { variable, secret }] of settingsOf(shape)) {
    const value = path.reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], config);
    description[variable] = secret && value !== undefined ? '***' : hideUserInfo(value);
  }
  return description;
}

function hideUserInfo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideUserInfo);
  return typeof value === 'string' ? value.replace(/:\/\/[^/@\s]*@/g, '://***@') : value;
}
