import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ExecContext, ExecHandlers, InteractionHandler } from '@tandem/client';
import { type Answers, sleep } from '@tandem/client/wire';
import type { agent } from '@tandem/proto';
import { callNameIn } from '../model/tool-plan.ts';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import type { Behaviour } from './behaviour.ts';
import type { Machine } from './machine.ts';

export interface ExecutorDeps {
  readonly process: Process;
  readonly random: Random;
  readonly history: History;
  readonly machine: Machine;
  readonly behaviour: Behaviour;
}

type QuestionResult = MessageInitShape<typeof agent.AskQuestionResultSchema>['result'];
type ShellEvent = MessageInitShape<typeof agent.ShellStreamSchema>['event'];

const BEAT_MS = 3_000;
const CONTEXT = { env: { osVersion: 'sim 1', workspacePaths: ['/sim'], shell: 'sh', timeZone: 'UTC' } };

/** What a machine answers in one attempt: at once, answered when it is done (docs/protocol.md, 6), and sometimes oddly. */
export function answersOf(deps: ExecutorDeps, requestId: string): Answers {
  const { process, random, history, machine, behaviour } = deps;
  const { clock } = process;
  const answered = () => sleep(clock, random.int(0, behaviour.answerMs));

  function note(text: string): void {
    const name = callNameIn(text);
    if (!name) return;
    machine.effects.push({ name, requestId, at: history.now });
    history.note('effect', `${name} in ${requestId}`);
  }

  function refuses(blobId: string): boolean {
    if (machine.refusedBlobs.has(blobId) || !random.chance(behaviour.refuseBlobChance)) return false;
    history.count('fault: blob refused');
    return true;
  }

  /** Now and then the answer is not what was asked for: an error, or nothing at all. */
  function mayBeOdd<A, R>(handler: (args: A, context: ExecContext) => Promise<R>) {
    return async (args: A, context: ExecContext): Promise<R | undefined> => {
      if (!random.chance(behaviour.oddAnswerChance)) return handler(args, context);
      history.count('fault: odd answer');
      if (random.chance(0.5)) throw new Error('No handler found');
      return undefined;
    };
  }

  const handlers: ExecHandlers = {
    requestContextArgs: async () => {
      await answered();
      const result = { case: 'success', value: { requestContext: CONTEXT } } as const;
      return { case: 'requestContextResult', value: { result } };
    },
    readArgs: mayBeOdd(async ({ path }) => {
      const content = machine.files.get(path);
      await answered();
      if (content === undefined)
        return { case: 'readResult', value: { result: { case: 'fileNotFound', value: { path } } } };
      const value = { path, output: { case: 'content', value: content }, totalLines: 1 } as const;
      return { case: 'readResult', value: { result: { case: 'success', value } } };
    }),
    writeArgs: mayBeOdd(async ({ path, fileText }) => {
      machine.files.set(path, fileText);
      note(path);
      await answered();
      const result = { case: 'success', value: { path, linesCreated: 1 } } as const;
      return { case: 'writeResult', value: { result } };
    }),
    shellStreamArgs: mayBeOdd(async ({ command }, context) => {
      note(command);
      await runCommand(deps, command, context);
      return undefined;
    }),
  };

  /** A user who answers, or a client that says that it has none. */
  const onInteraction: InteractionHandler = async ({ query }) => {
    if (query.case !== 'askQuestionInteractionQuery') return undefined;
    const result = answerOf(query.value.args, random.chance(0.5));
    await sleep(clock, random.int(0, behaviour.toolMs));
    return { case: 'askQuestionInteractionResponse', value: { result: { result } } };
  };

  return { blobs: machine.blobStore(refuses, answered), handlers, onInteraction };
}

/** A command: its output comes while it runs, its end when it is through or killed. */
async function runCommand(
  { process: { clock }, random, behaviour }: ExecutorDeps,
  command: string,
  { signal, send, heartbeat }: ExecContext,
): Promise<void> {
  const say = (event: ShellEvent) => send({ case: 'shellStream', value: { event } });
  const beat = () => {
    heartbeat();
    beats = clock.after(BEAT_MS, beat);
  };
  let beats = clock.after(BEAT_MS, beat);
  const ms = random.int(0, behaviour.toolMs);
  say({ case: 'start', value: {} });
  let aborted = false;
  try {
    await sleep(clock, Math.round(ms / 2), signal);
    say({ case: 'stdout', value: { data: `${command} is done\n` } });
    await sleep(clock, ms - Math.round(ms / 2), signal);
  } catch {
    aborted = true;
  }
  beats.cancel();
  say({ case: 'exit', value: { code: aborted ? -1 >>> 0 : 0, cwd: '/sim', aborted } });
}

function answerOf(args: agent.AskQuestionArgs | undefined, answers: boolean): QuestionResult {
  const question = args?.questions[0];
  if (!answers) return { case: 'rejected', value: { reason: `nobody is there for ${question?.prompt}` } };
  const [option] = question?.options ?? [];
  const answer = { questionId: question?.id ?? '', selectedOptionIds: [option?.id ?? ''] };
  return { case: 'success', value: { answers: [answer] } };
}
