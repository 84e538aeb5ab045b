// Two turns of one conversation with the official SDK against a Tandem server. Start one with `npm start`, set the two
// variables that it prints, then run this file.
import { Agent } from '@cursor/sdk';

const FIRST = 'My name is Ada. Say hello.';
const SECOND = 'What was my first message? Repeat it word for word.';

const { CURSOR_BACKEND_URL, CURSOR_API_KEY, TANDEM_MODEL = 'demo' } = process.env;
if (!CURSOR_BACKEND_URL || !CURSOR_API_KEY) {
  console.error('Set CURSOR_BACKEND_URL and CURSOR_API_KEY as `npm start` prints them.');
  process.exit(2);
}

const agent = await Agent.create({
  apiKey: CURSOR_API_KEY,
  model: { id: TANDEM_MODEL },
  local: { cwd: process.cwd() },
});
try {
  console.log(`> ${FIRST}\n${await say(FIRST)}\n`);
  const second = await say(SECOND);
  console.log(`> ${SECOND}\n${second}\n`);
  const remembered = second.includes('Ada');
  console.log(
    remembered ? 'The second turn remembers the first.' : 'The second turn has forgotten the first.',
  );
  process.exitCode = remembered ? 0 : 1;
} finally {
  await agent[Symbol.asyncDispose]();
}

async function say(text: string): Promise<string> {
  const run = await agent.send(text);
  const { status, result = '', error } = await run.wait();
  if (status !== 'finished')
    throw new Error(`the turn ended as ${status}: ${error?.message ?? 'no reason given'}`);
  return result;
}
