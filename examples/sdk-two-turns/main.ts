// Two turns of one conversation with the official SDK against a Tandem server. Start one with `npm start`, set the two
// variables that it prints, then run this file: `node examples/sdk-two-turns/main.ts` (Node 24).
import { parseArgs } from 'node:util';
import { Agent, type SDKAgent } from '@cursor/sdk';

const USAGE = `Usage: node examples/sdk-two-turns/main.ts

Holds two turns of one conversation with the official SDK, and exits with 1 when the second one forgot the first.

Options:
  --help  show this text

Environment:
  CURSOR_BACKEND_URL, CURSOR_API_KEY  as \`npm start\` prints them
  TANDEM_MODEL                        the model (demo)`;
const FIRST = 'My name is Ada. Say hello.';
const SECOND = 'What was my first message? Repeat it word for word.';

const { CURSOR_BACKEND_URL, CURSOR_API_KEY, TANDEM_MODEL = 'demo' } = process.env;

if (parseArgs({ options: { help: { type: 'boolean' } } }).values.help) {
  console.log(USAGE);
} else if (!CURSOR_BACKEND_URL || !CURSOR_API_KEY) {
  console.error('Set CURSOR_BACKEND_URL and CURSOR_API_KEY as `npm start` prints them.');
  process.exitCode = 2;
} else {
  try {
    process.exitCode = (await holdConversation(CURSOR_API_KEY)) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Returns whether the second answer shows that the model remembers the first message. */
async function holdConversation(apiKey: string): Promise<boolean> {
  await using agent = await Agent.create({
    apiKey,
    model: { id: TANDEM_MODEL },
    local: { cwd: process.cwd() },
  });
  console.log(`> ${FIRST}\n${await say(agent, FIRST)}\n`);
  const second = await say(agent, SECOND);
  console.log(`> ${SECOND}\n${second}\n`);
  const remembered = second.includes('Ada');
  console.log(`The second turn ${remembered ? 'remembers' : 'has forgotten'} the first.`);
  return remembered;
}

async function say(agent: SDKAgent, text: string): Promise<string> {
  const run = await agent.send(text);
  const { status, result = '', error } = await run.wait();
  if (status !== 'finished')
    throw new Error(`The turn ended as ${status}: ${error?.message ?? 'no reason given'}`);
  return result;
}
