import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { CatalogueModel } from '@tandem/platform';

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>;

const EFFORTS: readonly string[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] satisfies Reasoning[];

/** The thinking effort that a client chose, or the model's default; values that the catalogue does not list do not count. */
export function reasoningEffort(
  model: CatalogueModel,
  chosen: Readonly<Record<string, string>>,
): Reasoning | undefined {
  const parameter = model.parameters.find(({ sets }) => sets === 'reasoning');
  if (!parameter) return undefined;
  const listed = parameter.values.some(({ value }) => value === chosen[parameter.id]);
  const effort = listed ? chosen[parameter.id] : parameter.default;
  return effort !== undefined && EFFORTS.includes(effort) ? (effort as Reasoning) : undefined;
}
