import { type Deployment, isOpenAi } from '@tandem/platform';

/** The wire forms that are spoken to providers; what differs between them is decided by this alone. */
export type Family =
  | 'openai-chat'
  | 'openai-responses'
  | 'azure-responses'
  | 'openai-compatible'
  | 'anthropic'
  | 'google'
  | 'google-vertex'
  | 'bedrock';

/** The form that a deployment speaks. OpenAI's newer API is used at OpenAI itself unless configured otherwise. */
export function familyOf(deployment: Deployment): Family {
  switch (deployment.provider) {
    case 'anthropic':
    case 'openai-compatible':
    case 'google':
    case 'google-vertex':
    case 'bedrock':
      return deployment.provider;
    case 'azure':
      return (deployment.api ?? (deployment.apiVersion ? 'chat' : 'responses')) === 'responses'
        ? 'azure-responses'
        : 'openai-chat';
  }
  const own = deployment.baseUrl === undefined || isOpenAi(deployment.baseUrl);
  return (deployment.api ?? (own ? 'responses' : 'chat')) === 'responses'
    ? 'openai-responses'
    : 'openai-chat';
}
