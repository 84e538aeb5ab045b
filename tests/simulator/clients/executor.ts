import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { callNameIn } from '../model/tool-plan.ts';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import type { ClientMessage } from './answers.ts';
import type { Behaviour } from './behaviour.ts';
import type { Machine } from './machine.ts';

export interface ExecutorDeps {
  readonly process: Process;
  readonly random: Random;
  readonly history: History;
  readonly machine: Machine;
  readonly behaviour: Behaviour;
  /** The attempt that it works for. */
  readonly requestId: string;
  readonly send: (message: ClientMessage) => void;
}

type ExecAnswer = MessageInitShape<typeof agent.ExecClientMessageSchema>['message'];
type QuestionResult = MessageInitShape<typeof agent.AskQuestionResultSchema>['result'];
type ShellEvent = MessageInitShape<typeof agent.ShellStreamSchema>['event'];

const BEAT_MS = 3_000;
const CONTEXT = { env: { osVersion: 'sim 1', workspacePaths: ['/sim'], shell: 'sh', timeZone: 'UTC' } };

/** Does what the server asks for, as clients do: at once, answered when it is done (docs/protocol.md, 6). */
export class Executor {
  readonly #deps: ExecutorDeps;
  readonly #shells = new Map<number, { stop(): void }>();

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
  }

  exec({ id, message }: agent.ExecServerMessage): void {
    const { random, behaviour, history } = this.#deps;
    if (message.case === 'requestContextArgs') {
      const result = { result: { case: 'success', value: { requestContext: CONTEXT } } } as const;
      this.#answer(id, { case: 'requestContextResult', value: result });
    } else if (random.chance(behaviour.oddAnswerChance)) {
      history.count('fault: odd answer');
      this.#answerOddly(id);
    } else if (message.case === 'readArgs') this.#answer(id, this.#read(message.value.path));
    else if (message.case === 'writeArgs') this.#answer(id, this.#write(message.value));
    else if (message.case === 'shellStreamArgs') this.#run(id, message.value.command);
    else this.#answerOddly(id);
  }

  /** A user who answers, or a client that says that it has none. */
  query({ id, query }: agent.InteractionQuery): void {
    if (query.case !== 'askQuestionInteractionQuery') return;
    const { random, behaviour, send } = this.#deps;
    const result = answerOf(query.value.args, random.chance(0.5));
    const message = { case: 'askQuestionInteractionResponse', value: { result: { result } } } as const;
    const ms = random.int(0, behaviour.toolMs);
    this.#after(ms, () => send({ case: 'interactionResponse', value: { id, result: message } }));
  }

  /** The server does not want to wait any longer. */
  abort(id: number): void {
    this.#shells.get(id)?.stop();
  }

  /** The attempt is over: what runs is killed, and nothing more is said. */
  end(): void {
    for (const shell of this.#shells.values()) shell.stop();
  }

  #read(path: string): ExecAnswer {
    const content = this.#deps.machine.files.get(path);
    const result =
      content === undefined
        ? ({ case: 'fileNotFound', value: { path } } as const)
        : ({
            case: 'success',
            value: { path, output: { case: 'content', value: content }, totalLines: 1 },
          } as const);
    return { case: 'readResult', value: { result } };
  }

  #write({ path, fileText }: agent.WriteArgs): ExecAnswer {
    this.#deps.machine.files.set(path, fileText);
    this.#note(path);
    return { case: 'writeResult', value: { result: { case: 'success', value: { path, linesCreated: 1 } } } };
  }

  /** A command: its output comes while it runs, its end when it is through or killed. */
  #run(id: number, command: string): void {
    const { random, behaviour } = this.#deps;
    this.#note(command);
    const say = (event: ShellEvent) => this.#say(id, { case: 'shellStream', value: { event } });
    let over = false;
    const exit = (code: number, aborted: boolean) => {
      if (over) return;
      over = true;
      this.#shells.delete(id);
      say({ case: 'exit', value: { code, cwd: '/sim', aborted } });
      this.#close(id);
    };
    const beat = () => {
      if (over) return;
      this.#control({ case: 'heartbeat', value: { id } });
      this.#after(BEAT_MS, beat);
    };
    this.#shells.set(id, { stop: () => exit(-1 >>> 0, true) });
    const ms = random.int(0, behaviour.toolMs);
    say({ case: 'start', value: {} });
    this.#after(ms / 2, () => {
      if (!over) say({ case: 'stdout', value: { data: `${command} is done\n` } });
    });
    this.#after(ms, () => exit(0, false));
    this.#after(BEAT_MS, beat);
  }

  /** Not what was asked for: an error, or nothing at all. */
  #answerOddly(id: number): void {
    const { random } = this.#deps;
    if (random.chance(0.5)) this.#control({ case: 'throw', value: { id, error: 'No handler found' } });
    this.#close(id);
  }

  #answer(id: number, message: ExecAnswer): void {
    const { random, behaviour } = this.#deps;
    this.#after(random.int(0, behaviour.answerMs), () => {
      this.#say(id, message);
      this.#close(id);
    });
  }

  #say(id: number, message: ExecAnswer): void {
    this.#deps.send({ case: 'execClientMessage', value: { id, message } });
  }

  #close(id: number): void {
    this.#control({ case: 'streamClose', value: { id } });
  }

  #control(message: MessageInitShape<typeof agent.ExecClientControlMessageSchema>['message']): void {
    this.#deps.send({ case: 'execClientControlMessage', value: { message } });
  }

  #note(text: string): void {
    const { machine, requestId, history } = this.#deps;
    const name = callNameIn(text);
    if (!name) return;
    machine.effects.push({ name, requestId, at: history.now });
    history.note('effect', `${name} in ${requestId}`);
  }

  #after(ms: number, then: () => void): void {
    this.#deps.process.clock.after(Math.round(ms), then);
  }
}

function answerOf(args: agent.AskQuestionArgs | undefined, answers: boolean): QuestionResult {
  const question = args?.questions[0];
  if (!answers) return { case: 'rejected', value: { reason: `nobody is there for ${question?.prompt}` } };
  const [option] = question?.options ?? [];
  const answer = { questionId: question?.id ?? '', selectedOptionIds: [option?.id ?? ''] };
  return { case: 'success', value: { answers: [answer] } };
}
