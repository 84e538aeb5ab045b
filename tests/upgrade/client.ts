import { createHash } from 'node:crypto';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { agent, ENVELOPE_HEADER_BYTES, tandem } from '@tandem/proto';

export type ClientMessage = MessageInitShape<typeof agent.AgentClientMessageSchema>['message'];
type ExecAnswer = MessageInitShape<typeof agent.ExecClientMessageSchema>['message'];
type QueryAnswer = MessageInitShape<typeof agent.InteractionResponseSchema>['result'];

/**
 * What a client does some milliseconds later; `retry` is a further attempt, under a request id of its own. At `part` its
 * gateway ends the response cleanly, and says what the client has.
 */
export type Reaction = readonly [
  afterMs: number,
  what:
    | { readonly send: ClientMessage }
    | { readonly note: tandem.Command['kind'] }
    | { readonly part: true }
    | { readonly retry: string },
];
/** What the client does at the n-th frame of a kind (`readArgs 1`), in place of what it would do by itself. */
export type Reactions = Readonly<Record<string, (id: number) => readonly Reaction[]>>;

export interface ClientScript {
  readonly requestId: string;
  readonly opening: (checkpoint: agent.ConversationStateStructure | undefined) => ClientMessage;
  readonly reactions?: Reactions;
  readonly context?: MessageInitShape<typeof agent.RequestContextSchema>;
  readonly info?: MessageInitShape<typeof tandem.RequestInfoSchema>;
}

export const answer = (id: number, message: ExecAnswer, afterMs = 5): Reaction[] => [
  [afterMs, { send: { case: 'execClientMessage', value: { id, message } } }],
];
export const closed = (id: number, afterMs = 6): Reaction[] =>
  control({ case: 'streamClose', value: { id } }, afterMs);
export const control = (
  message: MessageInitShape<typeof agent.ExecClientControlMessageSchema>['message'],
  afterMs = 5,
): Reaction[] => [[afterMs, { send: { case: 'execClientControlMessage', value: { message } } }]];
export const reply = (id: number, result: QueryAnswer, afterMs = 50): Reaction[] => [
  [afterMs, { send: { case: 'interactionResponse', value: { id, result } } }],
];

interface Inner {
  readonly case?: string;
  readonly value?: { readonly id?: number };
}

interface Due {
  readonly at: number;
  readonly what: Reaction[1];
}

/**
 * A client as a function of what it was sent: whoever shows another one the same records at the same times gets the same
 * client. So a recorded turn's client can be brought to any place of its logs, and goes on from there.
 */
export class Client {
  readonly #script: ClientScript;
  readonly #answers: (exec: agent.ExecServerMessage) => Reaction[] | undefined;
  readonly #blobs: Map<string, Uint8Array>;
  readonly #counts = new Map<string, number>();
  readonly #seqnos = new Map<string, number>();
  /** The generation's items. */
  #items = new Map<string, tandem.Item>();
  #requestId: string;
  #reads = true;
  /** What it read last, and of which generation. */
  #read: MessageInitShape<typeof tandem.ResponseEndedSchema> = {};
  #outbox: Due[] = [];
  checkpoint: agent.ConversationStateStructure | undefined;
  over = false;

  constructor(
    script: ClientScript,
    now: number,
    blobs: Map<string, Uint8Array>,
    before: agent.ConversationStateStructure | undefined,
    answers: (exec: agent.ExecServerMessage) => Reaction[] | undefined,
  ) {
    this.#script = script;
    this.#answers = answers;
    this.#blobs = blobs;
    this.checkpoint = before;
    this.#requestId = script.requestId;
    this.#do(now, [[0, { send: script.opening(before) }], ...(script.reactions?.open?.(0) ?? [])]);
  }

  /** When it sends next; undefined: when it is shown something. */
  get due(): number | undefined {
    return this.#outbox[0]?.at;
  }

  /** Takes what it sends next out of its hands. */
  take(): { command: Uint8Array; opens: boolean } {
    const what = this.#outbox.shift()?.what;
    if (!what) throw new Error('nothing to send');
    if ('part' in what) {
      const value = create(tandem.ResponseEndedSchema, {
        ...this.#read,
        requestId: this.#requestId,
        trusted: true,
      });
      return { command: encode({ case: 'responseEnded', value }), opens: false };
    }
    if ('note' in what) return { command: encode(what.note), opens: false };
    if ('send' in what) return this.#append(what.send);
    // The connection is lost, with all that was on its way.
    this.#requestId = what.retry;
    this.#reads = false;
    this.#outbox = [];
    const seen = this.#counts.has('conversationCheckpointUpdate');
    const resume = { action: { case: 'resumeAction', value: {} } } as const;
    const opening = this.#script.opening(this.checkpoint);
    if (!seen || opening?.case !== 'runRequest') return this.#append(opening);
    return this.#append({ ...opening, value: { ...opening.value, action: resume } as typeof opening.value });
  }

  retry(now: number, requestId: string): void {
    this.#do(now, [[10, { retry: requestId }]]);
  }

  /** Reads an entry of its turn's journal. */
  read(entry: tandem.Entry, now: number): void {
    for (const [index, item] of entry.items.entries()) {
      const { kind } = item;
      if (kind.case === 'opened') {
        this.#items = new Map();
        this.over = false;
        this.#reads = kind.value.requestId === this.#requestId;
      }
      this.#items.set(`${entry.number}.${index}`, item);
      if (kind.case === 'ended') this.over = true;
      if (kind.case === 'frame' && this.#reads) {
        this.#read = { generation: entry.generation, position: { entry: entry.number, item: index } };
        this.#frame(kind.value, now);
      }
      if (kind.case === 'attempt' && kind.value.requestId === this.#requestId)
        this.#readAgain(kind.value, now);
    }
  }

  #readAgain({ start, withheld }: tandem.Attempt, now: number): void {
    this.#reads = true;
    if (this.over) return;
    let behind = start === undefined;
    for (const [place, { kind }] of this.#items) {
      const hidden = withheld.some(({ entry, item }) => place === `${entry}.${item}`);
      if (behind && !hidden && kind.case === 'frame') this.#frame(kind.value, now);
      behind ||= place === `${start?.entry}.${start?.item}`;
    }
  }

  #append(message: ClientMessage): { command: Uint8Array; opens: boolean } {
    const requestId = this.#requestId;
    const seqno = this.#seqnos.get(requestId) ?? 0;
    this.#seqnos.set(requestId, seqno + 1);
    const info = create(tandem.RequestInfoSchema, {
      ownerId: 'user',
      originalRequestId: this.#script.requestId,
      ...this.#script.info,
    });
    const value = create(tandem.AppendSchema, {
      requestId,
      seqno: BigInt(seqno),
      message: toBinary(agent.AgentClientMessageSchema, create(agent.AgentClientMessageSchema, { message })),
      info: seqno === 0 ? info : undefined,
    });
    return { command: encode({ case: 'append', value }), opens: seqno === 0 };
  }

  #frame(frame: Uint8Array, now: number): void {
    if ((frame[0] ?? 0) & 2) return;
    const { message } = fromBinary(agent.AgentServerMessageSchema, frame.subarray(ENVELOPE_HEADER_BYTES));
    const value = message.value as { id?: number; message?: Inner; query?: Inner } | undefined;
    const label = value?.message?.case ?? value?.query?.case ?? message.case ?? '';
    const count = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, count);
    if (message.case === 'conversationCheckpointUpdate') this.checkpoint = message.value;
    const scripted = this.#script.reactions?.[`${label} ${count}`]?.(
      value?.id ?? value?.message?.value?.id ?? 0,
    );
    this.#do(now, scripted ?? this.#byItself(message));
  }

  #byItself(message: agent.AgentServerMessage['message']): readonly Reaction[] {
    if (message.case === 'kvServerMessage') return this.#keep(message.value);
    if (message.case === 'interactionQuery') return approve(message.value);
    if (message.case !== 'execServerMessage') return [];
    const { id } = message.value;
    if (message.value.message.case !== 'requestContextArgs') {
      const answers = this.#answers(message.value) ?? [];
      return [...answers, ...closed(id, Math.max(...answers.map(([ms]) => ms)) + 1)];
    }
    const result = { case: 'success', value: { requestContext: this.#script.context } } as const;
    return [...answer(id, { case: 'requestContextResult', value: { result } }), ...closed(id)];
  }

  #keep({ id, message }: agent.KvServerMessage): readonly Reaction[] {
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    if (message.case === 'setBlobArgs') {
      const { blobId, blobData } = message.value;
      if (createHash('sha256').update(blobData).digest('hex') !== hex(blobId))
        throw new Error('a false blob id');
      this.#blobs.set(hex(blobId), blobData);
      const value = { id, message: { case: 'setBlobResult', value: {} } } as const;
      return [[3, { send: { case: 'kvClientMessage', value } }]];
    }
    if (message.case !== 'getBlobArgs') return [];
    const blobData = this.#blobs.get(hex(message.value.blobId));
    const value = { id, message: { case: 'getBlobResult', value: { blobData } } } as const;
    return [[4, { send: { case: 'kvClientMessage', value } }]];
  }

  #do(now: number, reactions: readonly Reaction[]): void {
    this.#outbox.push(...reactions.map(([ms, what]) => ({ at: now + ms, what })));
    this.#outbox.sort((a, b) => a.at - b.at);
  }
}

function approve({ id, query }: agent.InteractionQuery): Reaction[] {
  const approved = { result: { case: 'approved', value: {} } } as const;
  switch (query.case) {
    case 'webFetchRequestQuery':
      return reply(id, { case: 'webFetchRequestResponse', value: approved });
    case 'webSearchRequestQuery':
      return reply(id, { case: 'webSearchRequestResponse', value: approved });
    case 'switchModeRequestQuery':
      return reply(id, { case: 'switchModeRequestResponse', value: approved });
    case 'createPlanRequestQuery':
      return reply(id, {
        case: 'createPlanRequestResponse',
        value: { result: { planUri: 'file:///plan.md', result: { case: 'success', value: {} } } },
      });
    case 'askQuestionInteractionQuery': {
      const question = query.value.args?.questions[0];
      const answers = [
        { questionId: question?.id ?? '', selectedOptionIds: [question?.options[0]?.id ?? ''] },
      ];
      const result = { result: { case: 'success', value: { answers } } } as const;
      return reply(id, { case: 'askQuestionInteractionResponse', value: { result } });
    }
    default:
      return [];
  }
}

function encode(kind: tandem.Command['kind']): Uint8Array {
  return toBinary(tandem.CommandSchema, create(tandem.CommandSchema, { kind }));
}
