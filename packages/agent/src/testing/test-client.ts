import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { Position } from '@tandem/actor-core';
import { agent, encodeHex } from '@tandem/proto';
import type { ModelMessage } from '../model/message.ts';
import { decodeMessage } from '../model/message-json.ts';
import { blobId } from '../turn/blobs/state.ts';
import type { ClientMessage, TestTurn } from './test-turn.ts';

/** A client that keeps blobs, and checks as it reads that no checkpoint names what it does not have. */
export class TestClient {
  readonly blobs = new Map<string, Uint8Array>();
  text = '';
  thinking = '';
  turnsEnded: agent.TurnEndedUpdate[] = [];
  checkpoint: agent.ConversationStateStructure | undefined;
  context = create(agent.RequestContextSchema, {
    env: { osVersion: 'linux 6', shell: 'bash', workspacePaths: ['/work'], timeZone: 'UTC' },
  });
  /** Answers not given yet. */
  answers: Answer[] = [];
  #read: Position = { entry: 0, item: 0 };
  #withheld: readonly Position[] = [];

  /** Reads what is new; requests become answers, to be given in any order. */
  read(turn: TestTurn): void {
    for (const { message, at } of turn.frames(this.#read)) {
      this.#read = at;
      if (this.#withheld.some(({ entry, item }) => entry === at.entry && item === at.item)) continue;
      this.#take(message);
    }
  }

  /** Reads and answers until nothing is left to answer. */
  answerAll(turn: TestTurn): void {
    for (this.read(turn); this.answers.length > 0; this.read(turn)) this.give(turn);
  }

  /** Gives one of the answers. Only now is a blob that it confirms kept. */
  give(turn: TestTurn, index = 0, requestId?: string): void {
    const [answer] = this.answers.splice(index, 1);
    if (!answer) throw new Error('no answer to give');
    this.deliver(turn, answer, requestId);
  }

  deliver(turn: TestTurn, answer: Answer, requestId?: string): void {
    if (answer.confirms) this.keep(answer.confirms);
    answer.effect?.();
    turn.command(answer.message, requestId);
  }

  /** The connection is lost: what was asked is done all the same, its answers may still arrive later, or never. */
  loseAnswers(): Answer[] {
    const lost = this.answers;
    this.answers = [];
    for (const { effect } of lost) effect?.();
    return lost.map(({ message, confirms }) => ({ message, confirms }));
  }

  /** Starts to read behind a place, as a further attempt does. */
  readFrom(start: Position | undefined, withheld: readonly Position[] = []): void {
    this.#read = start ?? { entry: 0, item: 0 };
    this.#withheld = withheld;
    this.answers = [];
  }

  /** The transcript that the last checkpoint holds. */
  transcript(): ModelMessage[] {
    return (this.checkpoint?.rootPromptMessagesJson ?? []).map((id) => decodeMessage(this.blob(id)));
  }

  /** The last turn's structure, as the last checkpoint holds it. */
  lastTurn(): { userMessage: agent.UserMessage; steps: agent.ConversationStep[] } {
    const { turn } = fromBinary(
      agent.ConversationTurnStructureSchema,
      this.blob(this.checkpoint?.turns.at(-1) ?? new Uint8Array()),
    );
    if (turn.case !== 'agentConversationTurn') throw new Error('no agent turn');
    return {
      userMessage: fromBinary(agent.UserMessageSchema, this.blob(turn.value.userMessage)),
      steps: turn.value.steps.map((id) => fromBinary(agent.ConversationStepSchema, this.blob(id))),
    };
  }

  /** Whatever kind of turn the last one is, all that it refers to is there. */
  checkTurn(): void {
    const id = this.checkpoint?.turns.at(-1);
    if (!id) return;
    const { turn } = fromBinary(agent.ConversationTurnStructureSchema, this.blob(id));
    if (turn.case !== 'shellConversationTurn') this.lastTurn();
    else for (const part of [turn.value.shellCommand, turn.value.shellOutput]) this.blob(part);
  }

  blob(id: Uint8Array): Uint8Array {
    const data = this.blobs.get(encodeHex(id));
    if (!data) throw new Error(`dangling reference ${encodeHex(id).slice(0, 8)}`);
    return data;
  }

  keep(data: Uint8Array): Uint8Array {
    const id = blobId(data);
    this.blobs.set(encodeHex(id), data);
    return id;
  }

  #take({ message }: agent.AgentServerMessage): void {
    switch (message.case) {
      case 'interactionUpdate':
        this.#show(message.value.message);
        break;
      case 'kvServerMessage':
        this.#answerKv(message.value);
        break;
      case 'execServerMessage':
        this.answerExec(message.value);
        break;
      case 'interactionQuery':
        this.answerQuery(message.value);
        break;
      case 'execServerControlMessage':
        if (message.value.message.case === 'abort') this.abortExec(message.value.message.value.id);
        break;
      case 'conversationCheckpointUpdate':
        this.checkpoint = message.value;
        this.transcript();
        this.checkTurn();
        break;
      default:
        throw new Error(`unexpected frame ${message.case}`);
    }
  }

  #show(update: agent.InteractionUpdate['message']): void {
    if (update.case === 'textDelta') this.text += update.value.text;
    if (update.case === 'thinkingDelta') this.thinking += update.value.text;
    if (update.case === 'turnEnded') this.turnsEnded.push(update.value);
  }

  /** Tests of tools answer more. */
  answerExec({ id, message }: agent.ExecServerMessage): void {
    if (message.case !== 'requestContextArgs') return;
    const result = { case: 'success', value: { requestContext: this.context } } as const;
    this.answer({
      case: 'execClientMessage',
      value: { id, message: { case: 'requestContextResult', value: { result } } },
    });
    this.answer({
      case: 'execClientControlMessage',
      value: { message: { case: 'streamClose', value: { id } } },
    });
  }

  abortExec(_id: number): void {}

  answerQuery(_query: agent.InteractionQuery): void {}

  #answerKv({ id, message }: agent.KvServerMessage): void {
    if (message.case === 'setBlobArgs') {
      const value = { id, message: { case: 'setBlobResult', value: {} } } as const;
      this.answers.push({ message: { case: 'kvClientMessage', value }, confirms: message.value.blobData });
    } else if (message.case === 'getBlobArgs') {
      const blobData = this.blobs.get(encodeHex(message.value.blobId));
      const value = { id, message: { case: 'getBlobResult', value: { blobData } } } as const;
      this.answer({ case: 'kvClientMessage', value });
    }
  }

  answer(message: ClientMessage, effect?: () => void): void {
    this.answers.push({ message, effect });
  }
}

export interface Answer {
  readonly message: ClientMessage;
  /** The blob that is kept once this answer is given. */
  readonly confirms?: Uint8Array | undefined;
  /** What happens on the client when this answer is given. */
  readonly effect?: (() => void) | undefined;
}

type RunFields = Omit<MessageInitShape<typeof agent.AgentRunRequestSchema>, '$typeName'>;

/** A run request with a user's message, or one that resumes when there is none. */
export function runRequest(
  text: string | undefined,
  conversationState?: agent.ConversationStateStructure,
  more: RunFields = {},
): ClientMessage {
  const action: MessageInitShape<typeof agent.ConversationActionSchema> =
    text === undefined
      ? { action: { case: 'resumeAction', value: {} } }
      : { action: { case: 'userMessageAction', value: { userMessage: { text, messageId: 'm1' } } } };
  return {
    case: 'runRequest',
    value: {
      conversationState: conversationState ?? {},
      action,
      conversationId: 'c1',
      requestedModel: { modelId: 'test-model' },
      ...more,
    },
  };
}
