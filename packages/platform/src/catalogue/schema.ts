import { z } from 'zod';

/** Where a secret is kept: the name of an environment variable, or the path of a file. Never the secret itself. */
export const secretReferenceSchema = z.union([
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
]);

const positiveInt = z.number().int().positive();
const price = z.number().nonnegative();

const timeoutsSchema = z.strictObject({
  /** Milliseconds until the provider's socket is open. */
  connectMs: positiveInt.default(10_000),
  /** Milliseconds from the request to the first part of the answer; models that think long say nothing meanwhile. */
  firstEventMs: positiveInt.default(180_000),
  /** Milliseconds between two parts of the answer; keep-alives do not count. */
  idleMs: positiveInt.default(120_000),
});

/** Header names that carry credentials: their values are references, as keys are. */
const CREDENTIAL_HEADER = /^(authorization|proxy-authorization|cookie|.*(api-?key|token|secret).*)$/i;

const headersSchema = z
  .record(z.string().min(1), z.union([z.string(), secretReferenceSchema]))
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value !== 'string' || !CREDENTIAL_HEADER.test(name)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'must be a reference: {env: …} or {file: …}',
      });
    }
  });

const baseUrlSchema = z.url({ protocol: /^https?$/ }).refine((text) => !/^https?:\/\/[^/]*@/i.test(text), {
  message: 'must not hold a user or password',
});

const deploymentSchema = z
  .strictObject({
    provider: z.enum(['openai', 'anthropic', 'openai-compatible', 'demo']),
    /** The provider's name of the model. */
    model: z.string().min(1).optional(),
    /** How metrics and logs call this deployment; provider and model unless given. */
    name: z.string().min(1).optional(),
    baseUrl: baseUrlSchema.optional(),
    /** The API spoken to `openai`: `responses` at OpenAI itself and `chat` elsewhere unless given. */
    api: z.enum(['chat', 'responses']).optional(),
    apiKey: secretReferenceSchema.optional(),
    headers: headersSchema.default({}),
    timeouts: timeoutsSchema.prefault({}),
    /** Further tries of this deployment after a fault that may pass, before the next one has its turn. */
    retries: z.number().int().min(0).max(10).default(2),
    /**
     * Whether an OpenAI-compatible provider gets its reasoning back as `reasoning_content`: where there is some
     * (`replay`), in every message with a tool call, if need be empty (`required`), or never (`omit`).
     */
    reasoningContent: z.enum(['replay', 'required', 'omit']).optional(),
  })
  .superRefine((deployment, context) => {
    const missing = (path: string) =>
      context.addIssue({ code: 'custom', path: [path], message: 'is required' });
    if (deployment.provider !== 'demo' && deployment.model === undefined) missing('model');
    if (deployment.provider === 'openai-compatible' && deployment.baseUrl === undefined) missing('baseUrl');
  });

const parameterSchema = z.strictObject({
  id: z.string().min(1),
  displayName: z.string().optional(),
  values: z.array(z.strictObject({ value: z.string().min(1), displayName: z.string().optional() })).min(1),
  /** What a value does. `reasoning`: the effort, with the values none, minimal, low, medium, high, xhigh and max. */
  sets: z.enum(['reasoning']).optional(),
  /** The value when a client chooses none. */
  default: z.string().optional(),
});

const modelSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][\w.:@/-]{0,127}$/, 'must be letters, digits and . _ : @ / -'),
  displayName: z.string().min(1).optional(),
  description: z.string().optional(),
  aliases: z.array(z.string().min(1)).default([]),
  parameters: z.array(parameterSchema).default([]),
  /** Tokens of prompt and answer together. */
  contextWindow: positiveInt.default(128_000),
  /** Tokens of one answer; the provider's own limit unless given. */
  maxOutputTokens: positiveInt.optional(),
  supportsImages: z.boolean().default(false),
  default: z.boolean().default(false),
  /** Per million tokens. */
  price: z
    .strictObject({ input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() })
    .optional(),
  /** In order of preference. */
  deployments: z.array(deploymentSchema).min(1),
});

/** The form of the catalogue file. */
export const catalogueSchema = z
  .strictObject({ models: z.array(modelSchema).min(1) })
  .superRefine(({ models }, context) => {
    const seen = new Set<string>();
    models.forEach((model, index) => {
      for (const name of [model.id, ...model.aliases]) {
        const path = ['models', index, name === model.id ? 'id' : 'aliases'];
        if (seen.has(name)) context.addIssue({ code: 'custom', path, message: `"${name}" is used twice` });
        seen.add(name);
      }
      for (const { id, values, default: chosen } of model.parameters) {
        if (chosen === undefined || values.some(({ value }) => value === chosen)) continue;
        const path = ['models', index, 'parameters', id, 'default'];
        context.addIssue({ code: 'custom', path, message: 'is not one of the values' });
      }
    });
    if (models.filter((model) => model.default).length > 1) {
      context.addIssue({ code: 'custom', path: ['models'], message: 'more than one is the default' });
    }
  });

export type SecretReference = z.infer<typeof secretReferenceSchema>;
export type CatalogueInput = z.input<typeof catalogueSchema>;
/** What is offered, and where it runs; exactly one model is the default. */
export type Catalogue = z.infer<typeof catalogueSchema>;
export type CatalogueModel = Catalogue['models'][number];
export type Deployment = CatalogueModel['deployments'][number];
