/** Names, in lower case without separators, that hold credentials wherever they occur in a key. */
const CREDENTIAL =
  /authorization|cookie|apikey|accesskey|privatekey|encryptionkey|signingkey|token|secret|passw|passphrase|credential/;

/** Names of what users and models say, and of the bytes that carry it. */
const CONTENT = new Set([
  'args',
  'arguments',
  'argstextdelta',
  'blob',
  'blobdata',
  'body',
  'content',
  'contents',
  'data',
  'databinary',
  'delta',
  'env',
  'headers',
  'input',
  'key',
  'messages',
  'output',
  'payload',
  'prompt',
  'prompts',
  'stderr',
  'stdout',
  'systemprompt',
  'text',
  'textdelta',
  'thinking',
  'usermessage',
]);

/** Whether a value under this key is a secret or somebody's content, and so never logged. */
export function isSensitiveKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  return CONTENT.has(plain) || CREDENTIAL.test(plain);
}
