import { create } from '@bufbuild/protobuf';
import type { ClientMessage, TurnStream } from '@tandem/client';
import { runRequest } from '@tandem/client';
import { agent } from '@tandem/proto';
import { promptFor, type TurnShape } from '../turn/shape.ts';
import { WordCheck } from '../turn/word-check.ts';
import { pause, type World } from './world.ts';

/** How a client answers that sees nothing of its stream before the end of it. */
export interface Foresight {
  /** Time between two rounds of answers, milliseconds: a turn takes up to so much longer each time it asks. */
  readonly everyMs: number;
}

/** What became of a foreseen turn. */
export interface ForeseenTurn {
  readonly finished: boolean;
  readonly ms: number;
  readonly lost: number;
  readonly repeated: number;
}

/** Writes of a turn without tools, and of each tool's step; generous, since answers to what is not asked do nothing. */
const WRITES = 10;
const WRITES_A_TOOL = 6;

/**
 * Holds a turn over a transport that gives a stream only as a whole, when it is over (k6's, say). What the server asks can be
 * foreseen: it numbers its questions from 0, has the context with the first message, and passes over answers to questions that
 * it did not ask. So all answers are sent again and again until the stream has ended. Counts and times as `holdTurn` does.
 */
export async function holdForeseenTurn(
  world: World,
  shape: TurnShape,
  { everyMs }: Foresight,
): Promise<ForeseenTurn> {
  const { client, meter, now } = world;
  const began = now();
  const stream = await client.openTurn({ requestId: world.id() });
  const check = new WordCheck();
  let over = false;
  let finished = false;

  async function read(): Promise<void> {
    try {
      for await (const { message } of stream.events) {
        if (message.message.case !== 'interactionUpdate') continue;
        const update = message.message.value.message;
        if (update.case === 'textDelta') check.push(update.value.text);
        if (update.case === 'turnEnded') finished = true;
      }
    } catch (error) {
      finished = false;
      meter.fault(`a foreseen turn: ${error instanceof Error ? error.message : String(error)}`);
    }
    over = true;
  }

  async function answer(): Promise<void> {
    await stream.append(firstMessage(world, shape, stream));
    while (!over) {
      await pause(world, everyMs);
      if (!over) await Promise.all(answersFor(shape).map((message) => stream.append(message)));
    }
  }

  const answering = answer().catch((error: unknown) => {
    // Past the end of its turn an append has nobody to take it.
    if (!over) stream.close(error instanceof Error ? error : new Error(String(error)));
  });
  await Promise.all([read(), answering]);
  check.end(shape.words);
  const turn = { finished, ms: now() - began, lost: check.lost, repeated: check.repeated };
  meter.count('turns');
  meter.count('failed', finished ? 0 : 1);
  meter.count('lost', turn.lost);
  meter.count('repeated', turn.repeated);
  meter.time('turn', turn.ms);
  return turn;
}

/** A turn's first message, with the context that the server would ask for. */
function firstMessage(world: World, shape: TurnShape, { requestId }: TurnStream): ClientMessage {
  const userMessageAction = create(agent.UserMessageActionSchema, {
    userMessage: { text: promptFor(shape) },
    requestContext: { env: { osVersion: 'load' } },
  });
  const action = create(agent.ConversationActionSchema, {
    action: { case: 'userMessageAction', value: userMessageAction },
  });
  return runRequest({
    conversationId: world.id(),
    modelId: world.model,
    runId: requestId,
    extra: { action },
  });
}

function answersFor({ tools }: TurnShape): ClientMessage[] {
  const writes = Array.from({ length: WRITES + WRITES_A_TOOL * tools }, (_, id): ClientMessage => {
    return {
      message: { case: 'kvClientMessage', value: { id, message: { case: 'setBlobResult', value: {} } } },
    };
  });
  const reads = Array.from({ length: tools }, (_, id): ClientMessage => {
    const output = { case: 'content', value: 'one\ntwo\n' } as const;
    const result = { case: 'success', value: { path: `file-${id}.txt`, output, totalLines: 2 } } as const;
    return {
      message: {
        case: 'execClientMessage',
        value: { id, message: { case: 'readResult', value: { result } } },
      },
    };
  });
  return [...reads, ...writes];
}
