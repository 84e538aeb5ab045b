import { NO_RETRIES, OFFICIAL_RETRIES, type RetryPolicy, retryClass } from '@tandem/client';
import { type Attempt, type AttemptOptions, type Connection, runTurn } from '@tandem/client/wire';
import { type agent, encodeHex } from '@tandem/proto';
import { holdAttempt, type Ways } from '@tandem/test-support/client';
import { promptOf, type Script } from '../model/script.ts';
import type { Http } from '../services/http.ts';
import type { AttemptEnd, AttemptRecord, TurnRecord } from './attempt-record.ts';
import { answersOf, type ExecutorDeps } from './executor.ts';
import { simTransport } from './transport.ts';

export interface TurnDeps extends ExecutorDeps {
  readonly http: Http;
}

/** What an official client keeps of a conversation. */
export interface Conversation {
  readonly owner: string;
  readonly id: string;
  readonly blobKey: Uint8Array;
  checkpoint: agent.ConversationStateStructure | undefined;
}

/** As official clients do; virtual time has whole milliseconds only. */
const RETRIES: RetryPolicy = {
  ...OFFICIAL_RETRIES,
  delayMs: (retry, random) => Math.floor(OFFICIAL_RETRIES.delayMs(retry, random)),
};

/**
 * Holds one turn, over as many attempts as it takes (docs/protocol.md, 8).
 * @param originalRequestId names the first attempt; one of an earlier turn, now ended, opens its next generation
 */
export function holdTurn(
  deps: TurnDeps,
  conversation: Conversation,
  script: Script,
  originalRequestId: string,
): { readonly record: TurnRecord; readonly over: Promise<void> } {
  const { process, behaviour, machine, history } = deps;
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
    blobs: machine.blobs,
    effects: machine.effects,
    checkpoint: undefined,
  };
  const over = (status: TurnRecord['status'], why = '') => {
    record.status = status;
    record.endedAt = history.now;
    history.note(`turn ${status}`, `${originalRequestId} ${script.id} ${why}`);
  };
  const died = new Promise<void>((resolve) => {
    process.onDeath(() => {
      if (record.status === 'running') over('killed');
      resolve();
    });
  });
  const held = hold(deps, conversation, script, record).then(({ status, error }) =>
    over(status, error === undefined ? '' : reasonOf(error)),
  );
  return { record, over: Promise.race([held, died]) };
}

function hold(deps: TurnDeps, conversation: Conversation, script: Script, turn: TurnRecord) {
  const { process, behaviour, history } = deps;
  const { owner, blobKey } = conversation;
  const { originalRequestId } = turn;
  const cancel = new AbortController();
  if (behaviour.cancelAfterMs !== undefined)
    process.clock.after(behaviour.cancelAfterMs, () => cancel.abort(new Error('canceled by the user')));
  const transport = simTransport({
    ...deps,
    opened: (stream) =>
      turn.attempts.find(({ requestId }) => requestId === stream.requestId)?.streams.push(stream),
  });

  async function attempt(connection: Connection, options: AttemptOptions): Promise<Attempt> {
    const record = recordOf(options, history.now);
    turn.attempts.push(record);
    const kind = record.resumedFrom ? 'resume attempt' : 'attempt';
    history.note(kind, `${record.requestId} of ${originalRequestId} by ${process.name}`);
    const answers = answersOf(deps, record.requestId);
    const held = await holdAttempt(connection, { ...options, ...answers }, waysOf(deps, record));
    record.end = endOf(held);
    const { checkpoint } = record;
    if (checkpoint) {
      turn.checkpoint = checkpoint;
      conversation.checkpoint = checkpoint;
    }
    const { end } = record;
    history.note('attempt over', `${record.requestId} ${end.kind} ${'reason' in end ? end.reason : ''}`);
    return held;
  }

  return runTurn(
    {
      connection: { baseUrl: 'http://gateway', transport, clock: process.clock, headers: {} },
      entropy: process.entropy,
      // An attempt has answers of its own.
      answers: answersOf(deps, originalRequestId),
      token: async () => owner,
      attempt,
    },
    {
      text: promptOf(script, behaviour.padding),
      conversationId: conversation.id,
      state: conversation.checkpoint,
      modelId: 'sim',
      encryptionKey: blobKey.length === 0 ? undefined : encodeHex(blobKey),
      requestId: originalRequestId,
      binary: true,
      signal: cancel.signal,
      retries: behaviour.retries ? RETRIES : NO_RETRIES,
      onRetry: () => history.count('turn tried again'),
    },
  );
}

function recordOf(
  { requestId, firstMessage: { message } }: AttemptOptions,
  startedAt: number,
): AttemptRecord {
  const run = message?.case === 'runRequest' ? (message.value as agent.AgentRunRequest) : undefined;
  const resumes = run?.action?.action.case === 'resumeAction';
  return {
    requestId,
    startedAt,
    resumedFrom: resumes ? run?.conversationState : undefined,
    streams: [],
    appends: [],
    text: '',
    checkpoint: undefined,
    turnEnded: false,
    terminal: false,
    end: undefined,
  };
}

/** How a client of this behaviour holds an attempt; what comes of it is noted in `record`. */
function waysOf({ behaviour, random, history }: TurnDeps, record: AttemptRecord): Ways {
  const nameOf = (seqno: number) => `${record.requestId}#${seqno}`;
  return {
    streamFirst: behaviour.streamFirst,
    gapMs: behaviour.gapMs,
    reattaches: behaviour.kind === 'reattaching',
    forge() {
      if (!random.chance(behaviour.forgeChance)) return undefined;
      history.count('fault: number used twice');
      const reason = `forged ${encodeHex(Buffer.from(record.requestId))}`;
      const action = { case: 'cancelAction', value: { reason } } as const;
      return { message: { case: 'conversationAction', value: { action } } };
    },
    sends(seqno, message, tries) {
      const known = record.appends[seqno];
      if (known) known.tries = tries;
      else record.appends[seqno] = { seqno, message, tries, acknowledgedAt: undefined };
    },
    acknowledged(seqno) {
      const append = record.appends[seqno];
      if (append) append.acknowledgedAt ??= history.now;
      history.note('acknowledged', nameOf(seqno));
    },
    failed: (seqno, fault) => history.note('append failed', `${nameOf(seqno)} ${reasonOf(fault)}`),
    saw({ text, checkpoint, turnEnded, terminal }) {
      Object.assign(record, { text, checkpoint, turnEnded, terminal });
    },
    stalled: () => history.count('client stalled'),
    reattached: () => history.count('stream opened again'),
  };
}

function endOf({ fault, record: { terminal } }: Attempt): AttemptEnd {
  if (fault === undefined || terminal) return { kind: 'well' };
  return { kind: retryClass(fault) ?? 'final', reason: reasonOf(fault) };
}

function reasonOf(fault: unknown): string {
  const { code, message } = fault as { code?: string; message: string };
  return code ? `${code}: ${message}` : message;
}
