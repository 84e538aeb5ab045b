import { z } from 'zod';

/** Where a secret is kept: the name of an environment variable, or the path of a file. Never the secret itself. */
export const secretReferenceSchema = z.union([
  z.strictObject({ env: z.string().min(1).describe('the variable that holds it') }),
  z.strictObject({ file: z.string().min(1).describe('the file that holds it') }),
]);

const positiveInt = z.number().int().positive();
const price = z.number().nonnegative();

const timeoutsSchema = z.strictObject({
  connectMs: positiveInt.default(10_000).describe("milliseconds until the provider's socket is open"),
  firstEventMs: positiveInt
    .default(180_000)
    .describe(
      'milliseconds from the request to the first part of the answer; models that think long say nothing meanwhile',
    ),
  idleMs: positiveInt
    .default(120_000)
    .describe('milliseconds between two parts of the answer; keep-alives do not count'),
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

/** Part of a host's name. */
const hostPart = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/i, 'must be letters, digits and -');

const accessKeySchema = z.strictObject({
  id: secretReferenceSchema.describe('its id'),
  secret: secretReferenceSchema.describe('its secret'),
  sessionToken: secretReferenceSchema.optional().describe('the token of temporary credentials'),
});

const deploymentSchema = z
  .strictObject({
    provider: z
      .enum([
        'openai',
        'anthropic',
        'openai-compatible',
        'azure',
        'google',
        'google-vertex',
        'bedrock',
        'demo',
      ])
      .describe('whose API it speaks; `demo` is built in'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe(
        "the provider's name of the model, with `azure` the deployment's; required for all but `demo`",
      ),
    name: z
      .string()
      .min(1)
      .optional()
      .describe('what metrics and logs call this deployment; unset: provider and model'),
    baseUrl: baseUrlSchema
      .optional()
      .describe("the API's address; required for `openai-compatible`; holds no user or password"),
    resource: hostPart.optional().describe('the resource of `azure`; required unless `baseUrl` is set'),
    apiVersion: z
      .string()
      .min(1)
      .optional()
      .describe('a dated version of the API of `azure`, whose addresses name the deployment; unset: `v1`'),
    project: z.string().min(1).optional().describe('the project of `google-vertex`, which needs it'),
    location: hostPart
      .optional()
      .describe('the location of `google-vertex`, which needs it, such as `global`'),
    credentials: secretReferenceSchema
      .optional()
      .describe(
        'the JSON of a service account, for `google-vertex`; unset: those of the environment, such as the service account of the pod',
      ),
    region: hostPart.optional().describe('the region of `bedrock`, which needs it'),
    accessKey: accessKeySchema
      .optional()
      .describe(
        'an access key to `bedrock`; with neither it nor `apiKey`, credentials are those of the environment, such as the role of the pod',
      ),
    api: z
      .enum(['chat', 'responses'])
      .optional()
      .describe(
        'the API spoken to `openai` and `azure`; unset: `responses` at OpenAI itself and the `v1` of Azure, `chat` elsewhere',
      ),
    apiKey: secretReferenceSchema.optional().describe("the provider's key"),
    headers: headersSchema
      .default({})
      .describe('further headers; those that carry credentials are references, as keys are'),
    timeouts: timeoutsSchema.prefault({}).describe('when a call is given up'),
    retries: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe(
        'further tries of this deployment after a fault that may pass, before the next one has its turn; 0 to 10',
      ),
    reasoningContent: z
      .enum(['replay', 'required', 'omit'])
      .optional()
      .describe(
        'whether an OpenAI-compatible provider gets its reasoning back as `reasoning_content`: where there is some ' +
          '(`replay`), in every message with a tool call, if need be empty (`required`), or never (`omit`)',
      ),
  })
  .superRefine((deployment, context) => {
    const missing = (path: string) =>
      context.addIssue({ code: 'custom', path: [path], message: 'is required' });
    if (deployment.provider !== 'demo' && deployment.model === undefined) missing('model');
    if (deployment.provider === 'openai-compatible' && deployment.baseUrl === undefined) missing('baseUrl');
    if (
      deployment.provider === 'azure' &&
      deployment.baseUrl === undefined &&
      deployment.resource === undefined
    )
      missing('resource');
    if (deployment.provider === 'bedrock' && deployment.region === undefined) missing('region');
    if (deployment.provider === 'google-vertex') {
      if (deployment.project === undefined) missing('project');
      if (deployment.location === undefined) missing('location');
    }
    const { apiKey } = deployment;
    if ((deployment.provider === 'azure' || deployment.provider === 'google') && !apiKey) missing('apiKey');
    if (deployment.provider === 'bedrock' && apiKey && deployment.accessKey) {
      const message = 'is not taken beside apiKey';
      context.addIssue({ code: 'custom', path: ['accessKey'], message });
    }
    if (deployment.provider === 'azure' && deployment.apiVersion && deployment.api === 'responses') {
      context.addIssue({
        code: 'custom',
        path: ['api'],
        message: 'responses is of the v1: without apiVersion',
      });
    }
  });

const parameterSchema = z.strictObject({
  id: z.string().min(1).describe('what clients name it by'),
  displayName: z.string().optional().describe('what clients show'),
  values: z
    .array(
      z.strictObject({
        value: z.string().min(1).describe('what clients send'),
        displayName: z.string().optional().describe('what clients show'),
      }),
    )
    .min(1)
    .describe('what a client can choose from'),
  sets: z
    .enum(['reasoning'])
    .optional()
    .describe(
      'what a value does; `reasoning`: the effort, with the values none, minimal, low, medium, high, xhigh and max',
    ),
  default: z.string().optional().describe('the value when a client chooses none'),
});

const modelSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][\w.:@/-]{0,127}$/, 'must be letters, digits and . _ : @ / -')
    .describe('what clients name it by'),
  displayName: z.string().min(1).optional().describe('what clients show; unset: the id'),
  description: z.string().optional().describe('what clients show besides'),
  aliases: z.array(z.string().min(1)).default([]).describe('further names that clients may use'),
  parameters: z.array(parameterSchema).default([]).describe('what clients can choose'),
  contextWindow: positiveInt.default(128_000).describe('tokens of prompt and answer together'),
  maxOutputTokens: positiveInt.optional().describe("tokens of one answer; unset: the provider's own limit"),
  supportsImages: z.boolean().default(false).describe('prompts may hold images'),
  default: z
    .boolean()
    .default(false)
    .describe(
      'taken where a client names no model, `default` or `auto`; one at most, the first one unless given',
    ),
  price: z
    .strictObject({
      input: price.describe('of what is neither read from nor written to a cache'),
      output: price.describe('of the answer'),
      cacheRead: price.optional().describe("of what is read from the provider's cache"),
      cacheWrite: price.optional().describe('of what is written to it'),
    })
    .optional()
    .describe('per million tokens, in whatever unit you count'),
  deployments: z.array(deploymentSchema).min(1).describe('where it runs, in order of preference'),
});

/** The form of the catalogue file. */
export const catalogueSchema = z
  .strictObject({ models: z.array(modelSchema).min(1).describe('the models that are offered') })
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
