import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';

/** Which execution a server asks for, by the field that holds its arguments. */
export type ExecKind = NonNullable<agent.ExecServerMessage['message']['case']>;

/** The arguments of one kind of execution. */
export type ExecArgs<K extends ExecKind> = Extract<agent.ExecServerMessage['message'], { case: K }>['value'];

/** A result, or a piece of a streamed one. */
export type ExecAnswer = Exclude<
  MessageInitShape<typeof agent.ExecClientMessageSchema>['message'],
  { case: undefined; value?: undefined } | undefined
>;

/** What a handler has at hand. */
export interface ExecContext {
  readonly id: number;
  /** The server no longer wants the result, or the stream is over. */
  readonly signal: AbortSignal;
  /** Sends one piece of a streamed result. */
  send(answer: ExecAnswer): void;
  /** Says that the execution is still under way. */
  heartbeat(): void;
}

/** Executes one request. Returns the (last) result; a handler that has sent all pieces itself returns nothing. */
export type ExecHandler<K extends ExecKind = ExecKind> = (
  args: ExecArgs<K>,
  context: ExecContext,
) => Promise<ExecAnswer | undefined> | ExecAnswer | undefined;

/** Handlers by kind; a kind without one is answered with a throw. */
export type ExecHandlers = { readonly [K in ExecKind]?: ExecHandler<K> };
