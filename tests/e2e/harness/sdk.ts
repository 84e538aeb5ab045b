import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKImage } from '@cursor/sdk';
import { guard, makeFolder, release, removeFolder } from '@tandem/test-support/engines';
import type { SdkAnswer, SdkOrder, SdkSetup, SdkTurn } from './sdk-messages.ts';

/** Where the SDK's agents live and whom they talk to. */
export interface SdkOptions {
  readonly url: string;
  readonly apiKey: string;
}

/** How one agent is made. */
interface SdkAgentOptions {
  readonly model: string;
  /** On by default, as in the SDK. */
  readonly retries?: boolean;
  readonly apiKey?: string;
  readonly setup?: SdkSetup;
}

/** One conversation of the official SDK. */
interface SdkConversation {
  /** Holds a turn; a failed one is a result, too. @throws Error when the SDK throws */
  say(text: string, images?: readonly SDKImage[]): Promise<SdkTurn>;
  /** Cancels the turn that is under way. */
  cancel(): Promise<void>;
  /** Says something into the turn that is under way. @returns what the SDK says that became of it */
  steer(text: string): Promise<string | undefined>;
  /** Called for each text delta from now on. */
  onDelta(listener: (text: string) => void): void;
}

/** A process with the official SDK in it. */
export interface Sdk extends AsyncDisposable {
  readonly pid: number;
  /** The workspace of its agents. */
  readonly cwd: string;
  /** @throws Error when the SDK throws, for example on a wrong key */
  create(options: SdkAgentOptions): Promise<SdkConversation>;
  /** What the process wrote. */
  output(): string;
}

/** Starts a process with the official SDK, at home in a folder that goes away with it. */
export async function startSdk({ url, apiKey }: SdkOptions): Promise<Sdk> {
  const home = makeFolder('sdk');
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  const child = fork(join(import.meta.dirname, 'sdk-child.ts'), {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, CURSOR_BACKEND_URL: url },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('cannot start the SDK');
  guard({ kind: 'process', pid });
  const closed = once(child, 'close');

  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  const waiting = new Map<number, PromiseWithResolvers<SdkAnswer>>();
  const listeners = new Map<string, (text: string) => void>();
  const started = Promise.withResolvers<SdkAnswer>();
  waiting.set(0, started);
  child.on('message', (answer: SdkAnswer) => {
    const { id, error, agent, delta } = answer;
    if (delta !== undefined) return listeners.get(agent ?? '')?.(delta);
    const order = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) order?.resolve(answer);
    else order?.reject(new Error(error));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`the SDK's process ended:\n${output}`));
  });

  let orders = 0;
  type Order = SdkOrder extends infer One ? (One extends SdkOrder ? Omit<One, 'id'> : never) : never;
  const ask = (order: Order): Promise<SdkAnswer> => {
    const id = ++orders;
    const answer = Promise.withResolvers<SdkAnswer>();
    waiting.set(id, answer);
    child.send({ ...order, id });
    return answer.promise;
  };

  let agents = 0;
  await started.promise;
  return {
    pid,
    cwd,
    output: () => output,
    create: async ({ model, retries = true, apiKey: ownKey = apiKey, setup = {} }) => {
      const agent = `agent-${++agents}`;
      await ask({ type: 'create', agent, apiKey: ownKey, model, cwd, retries, setup });
      return {
        say: async (text, images = []) => (await ask({ type: 'say', agent, text, images })).turn as SdkTurn,
        steer: async (text) => (await ask({ type: 'steer', agent, text })).steered,
        cancel: async () => void (await ask({ type: 'cancel', agent })),
        onDelta: (listener) => void listeners.set(agent, listener),
      };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
      release({ kind: 'process', pid });
      removeFolder(home);
    },
  };
}
