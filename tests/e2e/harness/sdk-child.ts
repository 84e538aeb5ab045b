// Holds conversations with the official SDK in a process of its own, as the parent says over the IPC channel. The SDK keeps
// its state under HOME, which the parent has set to a temporary folder.
import { Agent, type Run, type SDKAgent, type SDKCustomTool, type SDKMessage } from '@cursor/sdk';
import type { SdkAnswer, SdkOrder, SdkTurn } from './sdk-messages.ts';

const agents = new Map<string, SDKAgent>();
const runs = new Map<string, Run>();

process.on('message', (order: SdkOrder) => {
  obey(order).then(
    (done) => answer({ id: order.id, ...done }),
    (error: Error) => answer({ id: order.id, error: `${error.name}: ${error.message}` }),
  );
});
process.once('disconnect', () => process.exit());
answer({ id: 0 });

async function obey(order: SdkOrder): Promise<Pick<SdkAnswer, 'turn' | 'steered'>> {
  switch (order.type) {
    case 'create': {
      const { apiKey, model, cwd, retries, setup } = order;
      const { customTools: names = [], ...more } = setup;
      const customTools = Object.fromEntries(names.map((name) => [name, echo(name)]));
      const local = { cwd, enableAgentRetries: retries, customTools };
      agents.set(order.agent, await Agent.create({ apiKey, model: { id: model }, local, ...more }));
      return {};
    }
    case 'say':
      return { turn: await say(order) };
    case 'cancel':
      await runs.get(order.agent)?.cancel();
      return {};
    case 'steer':
      return { steered: await runs.get(order.agent)?.steer?.(order.text) };
  }
}

function echo(name: string): SDKCustomTool {
  return {
    description: 'Says what it was told.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: (args) => `${name} ${JSON.stringify(args)}`,
  };
}

async function say({ agent: name, text, images }: SdkOrder & { type: 'say' }): Promise<SdkTurn> {
  const agent = agents.get(name);
  if (!agent) throw new Error(`no agent ${name}`);
  let shown = '';
  let output = '';
  const run = await agent.send(images.length > 0 ? { text, images: [...images] } : text, {
    onDelta: ({ update }) => {
      if (update.type === 'shell-output-delta') output += JSON.stringify(update.event);
      if (update.type !== 'text-delta') return;
      shown += update.text;
      answer({ id: 0, agent: name, delta: update.text });
    },
  });
  runs.set(name, run);
  const messages: SDKMessage[] = [];
  for await (const message of run.stream()) messages.push(message);
  const { status, result, error, usage } = await run.wait();
  const { requestId } = run;
  return { status, result, shown, output, messages, error: error?.message, usage, requestId };
}

function answer(message: SdkAnswer): void {
  process.send?.(message);
}
