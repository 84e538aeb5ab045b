const CHAT_WORDS = {
  length: 'length',
  filter: 'content_filter',
  stop: 'eos',
  withCalls: ['stop', 'function_call', 'eos', null],
  callsAsTheyEnd: false,
};
const RESPONSES_WORDS = {
  length: 'max_output_tokens',
  filter: 'content_filter',
  stop: null,
  withCalls: [null],
  callsAsTheyEnd: true,
};
export const GEMINI_WORDS = {
  length: 'MAX_TOKENS',
  filter: 'SAFETY',
  stop: 'STOP',
  withCalls: ['STOP', 'OTHER', 'MALFORMED_FUNCTION_CALL'],
  callsAsTheyEnd: true,
};
/** Each provider that is called, and the words with which it ends an answer. */
export const FAMILIES = [
  ['openai-compatible', { provider: 'openai-compatible' }, CHAT_WORDS],
  ['openai', { provider: 'openai' }, CHAT_WORDS],
  ['openai, responses', { provider: 'openai', api: 'responses' }, RESPONSES_WORDS],
  ['azure', { provider: 'azure' }, RESPONSES_WORDS],
  ['azure, a dated version', { provider: 'azure', apiVersion: '2024-10-21' }, CHAT_WORDS],
  ['google', { provider: 'google' }, GEMINI_WORDS],
  ['google-vertex', { provider: 'google-vertex' }, GEMINI_WORDS],
  [
    'bedrock',
    { provider: 'bedrock' },
    {
      length: 'max_tokens',
      filter: 'guardrail_intervened',
      stop: 'stop_sequence',
      withCalls: ['end_turn', 'stop_sequence', null],
      callsAsTheyEnd: true,
    },
  ],
  [
    'anthropic',
    { provider: 'anthropic' },
    {
      length: 'max_tokens',
      filter: 'refusal',
      stop: 'stop_sequence',
      withCalls: ['end_turn', 'stop_sequence', null],
      callsAsTheyEnd: true,
    },
  ],
] as const;
