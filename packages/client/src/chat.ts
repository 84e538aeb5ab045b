import { ChatFailed, chat } from './chat/chat.ts';
import { readChatOptions, USAGE, UsageError } from './chat/chat-options.ts';

const cancel = new AbortController();
process.once('SIGINT', () => cancel.abort(new ChatFailed('canceled')));

try {
  const options = readChatOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    console.log(USAGE);
  } else {
    const screen = {
      write: (text: string) => process.stdout.write(text),
      isTTY: process.stdout.isTTY === true,
    };
    await chat(options, screen, (line) => console.error(line), cancel.signal);
  }
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`chat: ${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  } else if (error instanceof ChatFailed) {
    console.error(`chat: ${error.message}`);
    process.exitCode = cancel.signal.aborted ? 130 : 1;
  } else {
    throw error;
  }
}
