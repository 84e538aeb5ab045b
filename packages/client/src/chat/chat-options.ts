import { parseArgs } from 'node:util';

/** Where a Tandem listens unless told otherwise. */
const DEFAULT_URL = 'http://127.0.0.1:8787';

/** What the command was asked to do. */
export interface ChatOptions {
  readonly text: string;
  readonly url: string;
  readonly apiKey: string;
  /** The first model that the server lists, when absent. */
  readonly modelId: string | undefined;
  /** A file to continue a conversation from, and to keep it in. */
  readonly conversationFile: string | undefined;
}

/** The command line cannot be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Usage: npm run chat -- [options] "message"

Holds one turn with a Tandem server and prints the answer.

Options:
  --url URL            the server (TANDEM_URL, else CURSOR_BACKEND_URL, else ${DEFAULT_URL})
  --model ID           the model (the first one that the server lists)
  --conversation FILE  continue the conversation in this file, and keep it there
  --help               show this text

The API key is read from CURSOR_API_KEY.`;

/**
 * Reads the command line and the environment. Returns 'help' when that was asked for.
 * @throws UsageError
 */
export function readChatOptions(
  args: string[],
  environment: Readonly<NodeJS.ProcessEnv>,
): ChatOptions | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const text = positionals.join(' ');
  if (text.trim() === '') throw new UsageError('there is nothing to say');
  const url = values.url ?? (environment.TANDEM_URL || environment.CURSOR_BACKEND_URL || DEFAULT_URL);
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new UsageError(`the server's address is no http or https URL: ${url}`);
  }
  const apiKey = environment.CURSOR_API_KEY;
  if (!apiKey) throw new UsageError('CURSOR_API_KEY is not set; the server prints one when it starts');
  return { text, url, apiKey, modelId: values.model, conversationFile: values.conversation };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        url: { type: 'string' },
        model: { type: 'string' },
        conversation: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
