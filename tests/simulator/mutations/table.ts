import type { Mutation } from './mutation.ts';

const CORE = 'packages/actor-core/src';
const AGENT = 'packages/agent/src';
const GATEWAY = 'services/gateway/src';

function mutation(name: string, file: string, find: string, replace: string): Mutation {
  return { name, patches: [{ file, find, replace }] };
}

/** Each mechanism that a promise rests on, broken. The simulator has to notice each within a thousand seeds. */
export const MUTATIONS: readonly Mutation[] = [
  mutation(
    'no fencing: the journal takes entries of anyone',
    `${CORE}/journal/fenced-append.ts`,
    'payload, { expectedLast })',
    'payload)',
  ),
  mutation(
    'two writers of the same epoch are not told apart',
    `${CORE}/journal/journal-writer.ts`,
    'journalSet(epoch, batch.number, writerId)',
    'journalSet(epoch, batch.number)',
  ),
  mutation(
    'an append is answered before it is stored',
    `${GATEWAY}/append/store-append.ts`,
    'await appendMessage(log, subject, entropy.id(), payload, { clock, entropy, retryForMs: storeMs });',
    'void appendMessage(log, subject, entropy.id(), payload, { clock, entropy, retryForMs: storeMs }).catch(() => {});',
  ),
  mutation(
    'no duplicate check in the inbox',
    `${CORE}/inbox/inbox.ts`,
    "if (append.seqno < this.#next) return 'duplicate';",
    'if (append.seqno < this.#next) this.#next = append.seqno;',
  ),
  mutation(
    'no gap check in the inbox',
    `${CORE}/inbox/inbox.ts`,
    'const append = this.#held.get(this.#next);',
    'const append = this.#held.get(this.#next) ?? this.#held.values().next().value;',
  ),
  mutation(
    'no gap check in the reader of a log',
    `${CORE}/follow/delivery.ts`,
    'return record.previous !== undefined && record.previous <= this.#position;',
    'return true;',
  ),
  mutation(
    'a checkpoint does not wait for its blobs',
    `${AGENT}/turn/transcript/checkpoint.ts`,
    'neededWrites(step.state).length > 0',
    'neededWrites(step.state).length < 0',
  ),
  mutation(
    'an attempt starts too late: behind what was shown',
    `${AGENT}/turn/attempts/attempt.ts`,
    'const start = later(sentBack, delivery.known);',
    'const start = delivery.last;',
  ),
  mutation(
    'an attempt starts too early: at the beginning',
    `${AGENT}/turn/attempts/attempt.ts`,
    'const start = later(sentBack, delivery.known);',
    'const start = later(undefined, undefined);',
  ),
  mutation(
    'keys without their owner',
    `${CORE}/subject/turn-key.ts`,
    'return { owner: ownerHash(ownerId),',
    'return { owner: ownerHash(ownerId.slice(0, 0)),',
  ),
  mutation(
    'a purge beyond the terminal sequence',
    `${CORE}/actor/turn-session.ts`,
    'const upTo = { journal, commands: this.#terminal?.scanSequence ?? 0 };',
    'const upTo = { journal: journal * 0 + 1e15, commands: 1e15 };',
  ),
  {
    name: 'heartbeats hide a dead cluster',
    patches: [
      {
        file: `${GATEWAY}/reader/liveness.ts`,
        find: "if (now - this.#aliveAt > aliveMs) return 'unavailable';",
        replace: '',
      },
      {
        file: `${GATEWAY}/reader/liveness.ts`,
        find: '&& now - this.#aliveAt <= aliveMs',
        replace: '&& aliveMs > 0',
      },
    ],
  },
  {
    name: 'the leader is not asked when a reader begins',
    patches: [
      {
        file: `${CORE}/follow/log-follower.ts`,
        find: '#lookTwice(): void {\n    this.#askLeader = true;\n    this.#askBehindBacklog = true;',
        replace: '#lookTwice(): void {',
      },
      {
        file: `${CORE}/follow/log-follower.ts`,
        find: 'await this.#ask(this.#subscription.subscribe(), this.#options.backlogLikely);',
        replace: 'await this.#subscription.subscribe();',
      },
    ],
  },
  mutation('no second look', `${CORE}/follow/log-follower.ts`, "this.#secondLook = 'due';\n  }", '}'),
  mutation(
    'an interrupted subscription is taken for whole',
    `${CORE}/follow/log-follower.ts`,
    '#interrupted(): void {\n    this.#lookTwice();',
    '#interrupted(): void {',
  ),
  mutation(
    'pulses are not listened to',
    `${GATEWAY}/reader/reader.ts`,
    'this.#follower?.expect(Number(lastSequence));',
    'Number(lastSequence);',
  ),
  mutation(
    'effects start before their items are stored',
    `${CORE}/actor/turn-actor.ts`,
    'if (stored.length > 0) this.#write(stored, bytes, run);',
    'run?.();\n    if (stored.length > 0) this.#write(stored, bytes);',
  ),
  {
    name: 'what a generation consumed is ignored',
    patches: [
      {
        file: `${CORE}/actor/session-plan.ts`,
        find: 'const fresh = findOpening(news, consumedSequence, view.openedSet);',
        replace: 'const fresh = findOpening(news, 0, undefined);',
      },
      {
        file: `${CORE}/actor/turn-session.ts`,
        find: 'this.#backlog.filter(({ sequence }) => sequence <= scanSequence)',
        replace: 'this.#backlog.filter(({ sequence }) => sequence <= scanSequence * 0)',
      },
    ],
  },
  mutation(
    'a takeover forgets which commands were applied',
    `${CORE}/actor/fold.ts`,
    'nextSeqno.set(append.requestId, Number(append.seqno) + 1);',
    '',
  ),
  mutation(
    'a takeover forgets what was shown',
    `${AGENT}/turn/evolve.ts`,
    'if (message.value.isServerNotice) return state;',
    'if (message.value.isServerNotice || state.process.modelCall === undefined) return state;',
  ),
  mutation(
    'a history does not say that it has ended',
    `${CORE}/journal/entry.ts`,
    "return { kind: 'end', outcome: OUTCOME_NAMES[item.kind.value.outcome] };",
    'return OUTCOME_NAMES ? undefined : undefined;',
  ),
  mutation(
    'a repeated opening of an attempt is answered again',
    `${CORE}/actor/session-plan.ts`,
    'const isNew = !known.has(requestOf(command));',
    "const isNew = !known.has(requestOf(command) + '?');",
  ),
  mutation(
    'two jobs of a turn in one process',
    `${CORE}/host/turn-host.ts`,
    'const running = this.#attended.get(name);',
    "const running = this.#attended.get(name + '?');",
  ),
  mutation(
    'what came long before the first message is dropped',
    `${CORE}/commands/command-intake.ts`,
    '(keptMs * 2) / 3',
    'Math.min(keptMs, 5_000)',
  ),
  mutation(
    'a drained worker hands nothing over',
    `${CORE}/host/turn-host.ts`,
    'await Promise.all([...this.#sessions].map((session) => session.handOver()));',
    'await new Promise<void>((resolve) => this.#deps.clock.after(15_000, resolve));',
  ),
  mutation(
    'a turn that nobody waits for runs on',
    `${CORE}/presence/reader-tracker.ts`,
    'if (this.hasReaders(now)) return false;',
    'if (this.hasReaders(now) || now > 0) return false;',
  ),
  mutation(
    'a generation that was delivered is shown again',
    `${GATEWAY}/reader/reader.ts`,
    'return !(await wasDelivered(',
    'return true || !(await wasDelivered(',
  ),
  mutation(
    'what a client of ours has received is ignored',
    `${GATEWAY}/reader/frame-picker.ts`,
    'this.#skip = received;',
    'this.#skip = received * 0;',
  ),
  mutation(
    'a reader does not have a lost turn dispatched',
    `${GATEWAY}/reader/ensure-running.ts`,
    'if (owed) await dispatcher.dispatch(key);',
    '',
  ),
  mutation(
    'the final checkpoint is left out',
    `${AGENT}/turn/ending/ending.ts`,
    'if (state.request?.action && (whole || state.checkpointDue)) sendCheckpoint(step);',
    'if (state.request?.action && !whole && state.checkpointDue) sendCheckpoint(step);',
  ),
  mutation(
    'a replaced turn is not canceled',
    `${CORE}/supersede/activate-conversation.ts`,
    'await cancel(deps, key.owner, mine.replaced);',
    '',
  ),
  mutation(
    'a late writer goes on in a journal that was purged',
    `${CORE}/journal/journal-writer.ts`,
    'this.#mayBePurged = false;',
    '',
  ),
  mutation(
    'tools: what may have been done is sent to a further attempt',
    `${AGENT}/turn/attempts/sent-requests.ts`,
    '.filter((frame) => state.ended || (frame.effect && !isRepeatable(state, frame)))',
    '.filter((frame) => state.ended && frame.effect)',
  ),
  mutation(
    'tools: a further attempt is asked for effects anew',
    `${AGENT}/turn/attempts/repeat-requests.ts`,
    "(request?.type === 'exec' && request.repeatable)",
    "request?.type === 'exec'",
  ),
  {
    name: 'tools: a takeover asks clients anew',
    patches: [
      {
        file: `${AGENT}/turn/decide.ts`,
        find: 'import { decideExecTimeout,',
        replace: 'import { decideExecTimeout, requestOf, sendRequest,',
      },
      {
        file: `${AGENT}/turn/decide.ts`,
        find: "case 'resumed':",
        replace: `case 'resumed':
      for (const call of step.state.toolCalls) {
        const request = call.pending && requestOf(step.state, call);
        if (request) sendRequest(step, call, request);
      }`,
      },
    ],
  },
  mutation(
    'tools: calls of a broken-off answer are run',
    `${AGENT}/turn/model-call/model-call.ts`,
    'runsTools: whole && calls > 0',
    'runsTools: calls > 0',
  ),
  mutation(
    'tools: results are not in the order of the calls',
    `${AGENT}/turn/tool-calls/commit-results.ts`,
    'resultsMessage(toolCalls, note)',
    'resultsMessage(toolCalls.toReversed(), note)',
  ),
  mutation(
    'tools: the model goes on before all results are there',
    `${AGENT}/turn/tool-calls/proceed.ts`,
    'toolCalls.some(({ output }) => !output)',
    'toolCalls.every(({ output }) => !output)',
  ),
  mutation(
    'tools: what a client closed without an answer is waited for',
    `${AGENT}/turn/tool-calls/evolve.ts`,
    "if (message.case !== 'throw' && message.case !== 'streamClose') return state;",
    "if (message.case !== 'throw') return state;",
  ),
];
