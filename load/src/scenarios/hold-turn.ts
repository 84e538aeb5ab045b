import type { Client, ExecHandlers, RetryPolicy } from '@tandem/client';
import { promptFor, type TurnShape } from '../turn/shape.ts';
import { WordCheck } from '../turn/word-check.ts';
import type { World } from './world.ts';

/** How a turn is held, where it is not held like any other. */
export interface HoldOptions {
  /** In place of the world's. */
  readonly client?: Client;
  readonly retries?: RetryPolicy;
  /** What the client does before it answers a tool. */
  readonly beforeTool?: () => Promise<void>;
  /** Called when the first word is shown. */
  readonly onFirstWord?: () => void;
  /** Called for all text that is shown. */
  readonly onText?: () => void;
  /** Whether how long words took belongs into the figures; not where the client itself delays them. */
  readonly timed?: boolean;
}

/**
 * Holds one turn, and has the meter know: `turns`, `failed`, `retried`, `lost` and `repeated` words; `turn`, `first_word`, `delta` (from
 * the model's writing of a word until it is shown) and `pause` (the longest between two pieces of text).
 */
export async function holdTurn(world: World, shape: TurnShape, options: HoldOptions = {}): Promise<void> {
  const { meter, now } = world;
  const { timed = true } = options;
  const check = new WordCheck();
  const began = now();
  let shownAt = 0;
  let longest = 0;
  const turn = await (options.client ?? world.client).runTurn({
    text: promptFor(shape),
    conversationId: world.id(),
    modelId: world.model,
    keepFrames: false,
    ...(options.retries ? { retries: options.retries } : {}),
    handlers: handlers(options.beforeTool),
    onFrame: ({ message: { message } }) => {
      if (message.case !== 'interactionUpdate' || message.value.message.case !== 'textDelta') return;
      const at = now();
      if (shownAt === 0) options.onFirstWord?.();
      else longest = Math.max(longest, at - shownAt);
      if (shownAt === 0 && timed) meter.time('first_word', at - began);
      shownAt = at;
      options.onText?.();
      for (const word of check.push(message.value.message.value.text)) {
        if (timed) meter.time('delta', at - word.writtenAt);
      }
    },
  });
  check.end(shape.words);
  meter.count('turns');
  meter.count('lost', check.lost);
  meter.count('repeated', check.repeated);
  meter.count('retried', turn.attempts.length - 1);
  if (timed) meter.time('turn', now() - began);
  meter.time('pause', longest);
  if (turn.status === 'finished') return;
  meter.count('failed');
  meter.fault(`a turn ${turn.status}: ${reasonOf(turn.error)}`);
}

/** A client that reads every file, and finds the same in all of them. */
function handlers(beforeTool: () => Promise<void> = async () => undefined): ExecHandlers {
  return {
    requestContextArgs: () => ({
      case: 'requestContextResult',
      value: { result: { case: 'success', value: { requestContext: { env: { osVersion: 'load' } } } } },
    }),
    readArgs: async ({ path }) => {
      await beforeTool();
      const output = { case: 'content', value: 'one\ntwo\n' } as const;
      return {
        case: 'readResult',
        value: { result: { case: 'success', value: { path, output, totalLines: 2 } } },
      };
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
