import type { TandemError } from '@tandem/errors';
import type { agent, tandem } from '@tandem/proto';

/** A place in a generation's journal. */
export interface Position {
  /** The entry's number, from 1. */
  readonly entry: number;
  /** The item's index in it, from 0. */
  readonly item: number;
}

/** What a turn's logic decides to add to the history. */
export type NewItem<Local> =
  /** Clients see this. */
  | { readonly kind: 'frame'; readonly message: agent.AgentServerMessage }
  | { readonly kind: 'record'; readonly record: tandem.TurnRecord }
  /**
   * Says where a further attempt's reader starts: behind `start`, or at the generation's first frame. Frames at `withheld`
   * it does not get.
   */
  | {
      readonly kind: 'attempt';
      readonly requestId: string;
      readonly start: Position | undefined;
      readonly withheld?: readonly Position[];
    }
  /** The last item of a generation; its EndStream follows from the error. */
  | {
      readonly kind: 'end';
      readonly outcome: 'completed' | 'failed' | 'canceled';
      readonly error?: TandemError;
    }
  /** Changes the state, is not stored: gone after a takeover, so only for what can be had again. */
  | { readonly kind: 'local'; readonly value: Local };

/** What a state is folded from: everything decided, and the commands in the places where they were applied. */
export type HistoryItem<Local> =
  | NewItem<Local>
  | {
      readonly kind: 'command';
      readonly requestId: string;
      readonly seqno: number;
      readonly message: agent.AgentClientMessage;
      readonly info: tandem.RequestInfo | undefined;
    };

/** What happens to a turn. A command has already been applied to the state when `decide` sees it. */
export type TurnInput<Result> =
  /** The next message of a living attempt's inbox, or the seqno 0 that opened the generation. */
  | {
      readonly type: 'command';
      readonly requestId: string;
      readonly seqno: number;
      readonly message: agent.AgentClientMessage;
    }
  /** Another attempt's seqno 0. Answer with an `attempt` item; nothing else when the turn has ended. */
  | { readonly type: 'attempt'; readonly requestId: string; readonly message: agent.AgentClientMessage }
  /** A gateway says that a response ended cleanly with everything up to `position` written. */
  | {
      readonly type: 'response_ended';
      readonly requestId: string;
      readonly position: Position;
      readonly trusted: boolean;
    }
  /** A newer turn took this one's place in its conversation. */
  | { readonly type: 'superseded' }
  /** No reader is left: start nothing new, stop the model. */
  | { readonly type: 'orphaned' }
  /** This process took the turn over: pick up what the history shows as begun and not ended. */
  | { readonly type: 'resumed' }
  /** The runtime ends the turn: an inbox gap, too many takeovers, the longest life reached. */
  | { readonly type: 'failed'; readonly error: TandemError }
  /** The conversation is this turn's (answer to an `activate_conversation` effect). */
  | { readonly type: 'activated' }
  | { readonly type: 'result'; readonly result: Result };

/** Effects that the runtime itself carries out; all effects start once the items decided with them are stored. */
export type RuntimeEffect<Result> =
  /** Sets (or sets anew) a named timer: `result` is an input after that time. */
  | { readonly type: 'set_timer'; readonly name: string; readonly ms: number; readonly result: Result }
  | { readonly type: 'clear_timer'; readonly name: string }
  /** Makes this the conversation's active turn: cancels the one it replaces or, patient, waits until that has ended. */
  | { readonly type: 'activate_conversation'; readonly conversationId: string; readonly patient: boolean };

export interface Decision<State, Effect, Result, Local> {
  readonly items: readonly NewItem<Local>[];
  /** With all items applied, each in its place. */
  readonly state: State;
  readonly effects: readonly (Effect | RuntimeEffect<Result>)[];
}

/** What a turn is, before anything happened to it. */
export interface TurnFacts {
  readonly ownerId: string;
  readonly generation: number;
  /** The request that opened the generation. */
  readonly requestId: string;
  readonly info: tandem.RequestInfo;
}

/**
 * What a turn does, as pure functions: the runtime folds the history with `evolve`, asks `decide` what follows from an
 * input, stores the items, then runs the effects. Both must be deterministic; time comes in `now`.
 */
export interface TurnLogic<State, Effect, Result, Local> {
  create(facts: TurnFacts): State;
  evolve(state: State, item: HistoryItem<Local>, at: Position): State;
  /**
   * @param now ms since the epoch
   * @param next where the first decided item will stand, and the others behind it (local ones take no place)
   */
  decide(
    state: State,
    input: TurnInput<Result>,
    now: number,
    next: Position,
  ): Decision<State, Effect, Result, Local>;
}

/** Carries out a logic's own effects in this process. */
export interface EffectRunner<Effect, Result> {
  /**
   * Starts an effect. Results are given to `emit`, any number of them, until the signal aborts (the actor stopped).
   * Failures are results too: an effect never throws.
   */
  run(effect: Effect, facts: TurnFacts, emit: (result: Result) => void, signal: AbortSignal): void;
}
