const MAX_WORDS = 6;
const MAX_CHARACTERS = 48;

/** A short name for a conversation, from the first line of its first message. */
export function nameAgent(userMessage: string): string {
  const line = userMessage.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const words = line.trim().split(/\s+/).slice(0, MAX_WORDS).join(' ');
  const name =
    words.length <= MAX_CHARACTERS ? words : `${[...words].slice(0, MAX_CHARACTERS - 1).join('')}…`;
  return name || 'New conversation';
}
