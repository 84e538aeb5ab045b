import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { promptOf, type Script } from '../model/script.ts';
import type { ClientMessage } from './answers.ts';
import { Attempt, type AttemptDeps } from './attempt.ts';
import type { TurnRecord } from './attempt-record.ts';

/** What an official client keeps of a conversation. */
export interface Conversation {
  readonly owner: string;
  readonly id: string;
  readonly blobKey: Uint8Array;
  checkpoint: agent.ConversationStateStructure | undefined;
}

const MAX_SERVER_RETRIES = 3;
const MAX_TRANSPORT_RETRIES = 10;
const MAX_FRUITLESS_RESUMES = 2;
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * Holds one turn, over as many attempts as it takes (docs/protocol.md, 8).
 * @param originalRequestId names the first attempt; one of an earlier turn, now ended, opens its next generation
 */
export function runTurn(
  deps: AttemptDeps,
  conversation: Conversation,
  script: Script,
  originalRequestId: string,
): { readonly record: TurnRecord; readonly over: Promise<void> } {
  const { process, behaviour, machine } = deps;
  const record: TurnRecord = {
    owner: conversation.owner,
    conversation: conversation.id,
    originalRequestId,
    script: script.id,
    tokens: script.tokens,
    batches: script.batches,
    client: process.name,
    behaviour,
    attempts: [],
    status: 'running',
    endedAt: undefined,
    blobs: machine.blobs.data,
    effects: machine.effects,
    checkpoint: undefined,
  };
  const died = new Promise<void>((resolve) => process.onDeath(resolve));
  return { record, over: Promise.race([hold(deps, conversation, script, record), died]) };
}

async function hold(
  deps: AttemptDeps,
  conversation: Conversation,
  script: Script,
  turn: TurnRecord,
): Promise<void> {
  const { process, history, random, behaviour } = deps;
  const { owner } = conversation;
  let current: Attempt | undefined;
  let cancel: (() => void) | undefined;
  const over = (status: TurnRecord['status'], why = '') => {
    turn.status = status;
    turn.endedAt = history.now;
    history.note(`turn ${status}`, `${turn.originalRequestId} ${script.id} ${why}`);
  };
  const whenCanceled = new Promise<'canceled'>((resolve) => {
    cancel = () => {
      resolve('canceled');
      current?.end({ kind: 'final', reason: 'canceled by the user' });
    };
  });
  if (behaviour.cancelAfterMs !== undefined) process.clock.after(behaviour.cancelAfterMs, () => cancel?.());
  process.onDeath(() => {
    if (turn.status === 'running') over('killed');
  });

  const retried = { server: 0, transport: 0 };
  let fruitless = 0;
  let state = conversation.checkpoint;
  let resumes = false;
  for (let requestId = turn.originalRequestId; ; requestId = process.entropy.id()) {
    const names = {
      owner,
      requestId,
      originalRequestId: turn.originalRequestId,
      blobKey: conversation.blobKey,
    };
    current = new Attempt(deps, names, resumes ? state : undefined);
    turn.attempts.push(current.record);
    history.note(
      resumes ? 'resume attempt' : 'attempt',
      `${requestId} of ${turn.originalRequestId} by ${process.name}`,
    );
    current.start(
      firstMessage(conversation, turn, state, resumes ? undefined : promptOf(script, behaviour.padding)),
    );
    const end = await current.done;
    const { checkpoint } = current.record;
    fruitless = resumes && !checkpoint ? fruitless + 1 : 0;
    if (checkpoint) {
      state = checkpoint;
      resumes = true;
      turn.checkpoint = checkpoint;
      conversation.checkpoint = checkpoint;
    }
    history.note('attempt over', `${requestId} ${end.kind} ${'reason' in end ? end.reason : ''}`);
    if (end.kind === 'well') return over('finished');
    if (await happened(whenCanceled)) return over('canceled');
    if (end.kind === 'final' || !behaviour.retries) return over('failed', end.reason);
    const limit = end.kind === 'server' ? MAX_SERVER_RETRIES : MAX_TRANSPORT_RETRIES;
    if (retried[end.kind] >= limit) return over('failed', `retries used up: ${end.reason}`);
    if (fruitless >= MAX_FRUITLESS_RESUMES) return over('failed', 'resumes made no progress');
    const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (retried.server + retried.transport));
    retried[end.kind] += 1;
    history.count('turn tried again');
    const ms = Math.floor(backoff * (1 + random.unit() / 8));
    const waited = new Promise<'waited'>((resolve) => process.clock.after(ms, () => resolve('waited')));
    if ((await Promise.race([waited, whenCanceled])) === 'canceled') return over('canceled');
  }
}

type Action = MessageInitShape<typeof agent.ConversationActionSchema>['action'];

function firstMessage(
  conversation: Conversation,
  turn: TurnRecord,
  state: agent.ConversationStateStructure | undefined,
  text: string | undefined,
): ClientMessage {
  const resume: Action = { case: 'resumeAction', value: {} };
  const action: Action =
    text === undefined ? resume : { case: 'userMessageAction', value: { userMessage: { text } } };
  return {
    case: 'runRequest',
    value: {
      conversationState: state ?? {},
      action: { action },
      mcpTools: {},
      conversationId: conversation.id,
      requestedModel: { modelId: 'sim' },
      runId: turn.originalRequestId,
    },
  };
}

/** Whether a promise is settled already. */
async function happened(promise: Promise<unknown>): Promise<boolean> {
  const no = Symbol('no');
  return (await Promise.race([promise, Promise.resolve(no)])) !== no;
}
