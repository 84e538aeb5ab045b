// Holds conversations with the official SDK in a process of its own, as the parent says over the IPC channel. The SDK keeps
// its state under HOME, which the parent has set to a temporary folder.
import { Agent, type SDKAgent } from '@cursor/sdk';
import type { SdkAnswer, SdkOrder, SdkTurn } from './sdk-messages.ts';

const agents = new Map<string, SDKAgent>();
const runs = new Map<string, { cancel(): Promise<void> }>();

process.on('message', (order: SdkOrder) => {
  obey(order).then(
    (turn) => answer({ id: order.id, turn }),
    (error: Error) => answer({ id: order.id, error: `${error.name}: ${error.message}` }),
  );
});
process.once('disconnect', () => process.exit());
answer({ id: 0 });

async function obey(order: SdkOrder): Promise<SdkTurn | undefined> {
  switch (order.type) {
    case 'create': {
      const { apiKey, model, cwd, retries } = order;
      const options = { apiKey, model: { id: model }, local: { cwd, enableAgentRetries: retries } };
      agents.set(order.agent, await Agent.create(options));
      return undefined;
    }
    case 'say':
      return say(order.agent, order.text);
    case 'cancel':
      await runs.get(order.agent)?.cancel();
      return undefined;
  }
}

async function say(name: string, text: string): Promise<SdkTurn> {
  const agent = agents.get(name);
  if (!agent) throw new Error(`no agent ${name}`);
  let shown = '';
  const run = await agent.send(text, {
    onDelta: ({ update }) => {
      if (update.type !== 'text-delta') return;
      shown += update.text;
      answer({ id: 0, agent: name, delta: update.text });
    },
  });
  runs.set(name, run);
  const { status, result, error, usage } = await run.wait();
  return { status, result, shown, error: error?.message, usage, requestId: run.requestId };
}

function answer(message: SdkAnswer): void {
  process.send?.(message);
}
