import { type Dashboard, quantile, rate, share } from './model.ts';

const GOOD = 'stop|tool_calls|length|aborted';

/** What providers do. */
export const models: Dashboard = {
  uid: 'tandem-models',
  title: 'Tandem: Models',
  about: 'Tokens, time to the first event, errors, retries and fallbacks, cost.',
  rows: [
    {
      title: 'Calls',
      panels: [
        {
          title: 'Tries',
          about: 'A second, by model and deployment.',
          unit: 'reqps',
          queries: [
            {
              expr: rate('tandem_model_calls_total', 'model', 'deployment'),
              legend: '{{model}} {{deployment}}',
            },
          ],
        },
        {
          title: 'How tries ended',
          about: 'A second, by outcome: how the answer ended, or why there was none.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: `${rate('tandem_model_calls_total', 'outcome')} > 0`, legend: '{{outcome}}' }],
        },
        {
          title: 'Errors',
          about: 'Share of tries that failed or broke off.',
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: share(
                `tandem_model_calls_total{outcome!~"${GOOD}"}`,
                'tandem_model_calls_total',
                'model',
                'deployment',
              ),
              legend: '{{model}} {{deployment}}',
            },
          ],
        },
        {
          title: 'Retries and fallbacks',
          about: "Tries after the first; of them, those of another deployment than the model's first.",
          unit: 'reqps',
          queries: [
            { expr: rate('tandem_model_retries_total', 'model'), legend: 'retries {{model}}' },
            { expr: rate('tandem_model_fallbacks_total', 'model'), legend: 'fallbacks {{model}}' },
          ],
        },
      ],
    },
    {
      title: 'Speed',
      panels: [
        {
          title: 'Time to the first event',
          about: 'From the try to its first event.',
          unit: 's',
          queries: [0.5, 0.95].map((q) => ({
            expr: quantile(q, 'tandem_model_first_event_seconds', 'model', 'deployment'),
            legend: `p${q * 100} {{model}} {{deployment}}`,
          })),
        },
        {
          title: 'Length of an answer',
          about: 'From the try to the end of its answer.',
          unit: 's',
          queries: [0.5, 0.95].map((q) => ({
            expr: quantile(q, 'tandem_model_call_seconds', 'model', 'deployment'),
            legend: `p${q * 100} {{model}} {{deployment}}`,
          })),
        },
        {
          title: 'Slots',
          about: 'Calls that run, and calls that wait for a slot of their worker.',
          unit: 'short',
          queries: [
            { expr: 'sum by (instance) (tandem_model_slots_taken)', legend: 'running {{instance}}' },
            { expr: 'sum by (instance) (tandem_model_slots_waiting)', legend: 'waiting {{instance}}' },
          ],
        },
      ],
    },
    {
      title: 'Tokens and cost',
      panels: [
        {
          title: 'Tokens by kind',
          about: 'A second, as providers counted them. Input leaves out what came from a cache.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: rate('tandem_model_tokens_total', 'kind'), legend: '{{kind}}' }],
        },
        {
          title: 'Tokens by model',
          about: 'A second, all kinds.',
          unit: 'short',
          queries: [{ expr: rate('tandem_model_tokens_total', 'model'), legend: '{{model}}' }],
        },
        {
          title: 'Read from a cache',
          about:
            "Share of prompt tokens that providers read from their caches: a conversation's prompt extends the last one's.",
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: share(
                'tandem_model_tokens_total{kind="cache_read"}',
                'tandem_model_tokens_total{kind=~"input|cache_read|cache_write"}',
                'model',
              ),
              legend: '{{model}}',
            },
          ],
        },
        {
          title: 'Cost an hour',
          about: "In the unit of the catalogue's prices; nothing for models without prices.",
          unit: 'short',
          queries: [{ expr: `3600 * ${rate('tandem_model_cost_total', 'model')}`, legend: '{{model}}' }],
        },
      ],
    },
    {
      title: 'Limits of users and groups',
      panels: [
        {
          title: 'Calls refused by a limit',
          about: 'A second, by limit and whose it is.',
          unit: 'reqps',
          queries: [
            { expr: rate('tandem_model_calls_refused_total', 'limit', 'of'), legend: '{{limit}} of {{of}}' },
          ],
        },
        {
          title: 'Users warned',
          about: 'Warnings in the last hour that a limit of the day is near.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (limit, of) (increase(tandem_limit_warnings_total[1h]))',
              legend: '{{limit}} of {{of}}',
            },
          ],
        },
        {
          title: 'Tokens by user',
          about: 'A second. Only while users are counted one by one.',
          unit: 'short',
          queries: [{ expr: `topk(10, ${rate('tandem_user_tokens_total', 'user')})`, legend: '{{user}}' }],
        },
        {
          title: 'Cost an hour by user',
          about: "In the unit of the catalogue's prices. Only while users are counted one by one.",
          unit: 'short',
          queries: [
            { expr: `topk(10, 3600 * ${rate('tandem_user_cost_total', 'user')})`, legend: '{{user}}' },
          ],
        },
      ],
    },
  ],
};
