import { type Deployment, isOpenAi } from '@tandem/platform';

/** The wire forms that are spoken to providers; what differs between them is decided by this alone. */
export type Family = 'openai-chat' | 'openai-responses' | 'openai-compatible' | 'anthropic';

/** The form that a deployment speaks. OpenAI's newer API is used at OpenAI itself unless configured otherwise. */
export function familyOf(deployment: Deployment): Family {
  if (deployment.provider === 'anthropic') return 'anthropic';
  if (deployment.provider === 'openai-compatible') return 'openai-compatible';
  const own = deployment.baseUrl === undefined || isOpenAi(deployment.baseUrl);
  return (deployment.api ?? (own ? 'responses' : 'chat')) === 'responses'
    ? 'openai-responses'
    : 'openai-chat';
}
