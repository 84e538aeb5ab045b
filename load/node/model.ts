import { readArguments } from '@tandem/test-support/command';
import {
  type ProviderRequest,
  type Reply,
  type ScriptedProvider,
  type Step,
  startScriptedProvider,
} from '@tandem/test-support/provider';
import { shapeIn, spell, stops } from '../src/index.ts';

/** The model of a load, as clients name it. */
export const MODEL = 'load';

/** A provider whose model does what the shape of each turn asks for, and stamps its words with the time of their writing. */
export async function startModel(port?: number): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider({ port });
  provider.script('*', answer);
  return provider;
}

/** Milliseconds since the epoch, with their fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** The next step of a turn: words from where the last one ended or was cut off, then a tool or the end. */
export function answer({ body }: Pick<ProviderRequest, 'body'>): Reply {
  const messages = body.messages.map((message) => ({
    ...message,
    text: JSON.stringify(message.content ?? ''),
  }));
  const asked = messages.findLastIndex(({ role, text }) => role === 'user' && shapeIn(text));
  const shape = shapeIn(messages[asked]?.text ?? '');
  if (!shape) return { steps: [{ type: 'text', text: 'This model only takes part in loads.' }] };
  const since = messages.slice(asked + 1);
  const tool = since.filter(({ role }) => role === 'tool').length;
  const said = since
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ text }) => text.match(/\d+(?=@\d)/g) ?? []);
  const stop = stops(shape)[tool] ?? shape.words;
  const steps: Step[] = [{ type: 'usage', input: 100, output: stop - said.length }];
  for (let index = Number(said.at(-1) ?? -1) + 1; index < stop; index += 1) {
    if (shape.paceMs > 0) steps.push({ type: 'delay', ms: shape.paceMs });
    steps.push(word(index, shape.wordBytes));
  }
  if (tool < shape.tools) {
    const path = JSON.stringify({ path: `file-${tool}.txt` });
    steps.push({ type: 'tool_call', id: `call-${tool}`, name: 'read_file', arguments: path });
  }
  return { steps };
}

/** Its text is made when it is written. */
function word(index: number, bytes: number | undefined): Step {
  return {
    type: 'text',
    get text() {
      return spell({ index, writtenAt: now() }, bytes);
    },
  };
}

if (import.meta.main) {
  const { positionals } = readArguments({
    call: 'node load/node/model.ts',
    about: "Serves the load's model on loopback until it is stopped, and prints the variables for workers.",
    flags: {},
    positionals: { port: 'where; any free one unless told' },
  });
  const { baseUrl } = await startModel(Number(positionals[0] ?? 0));
  console.log(`OPENAI_BASE_URL=${baseUrl} OPENAI_API_KEY=none TANDEM_OPENAI_MODELS=${MODEL}`);
}
