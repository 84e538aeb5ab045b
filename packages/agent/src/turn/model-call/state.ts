import type { tandem } from '@tandem/proto';
import type { ProviderOptions } from '../../model/message.ts';
import type { Usage } from '../../model/port.ts';
import type { ToolKind } from '../../tools/tool.ts';

/** What a turn remembers of its calls of the model. */
export interface ModelCallState {
  readonly model: ModelAnswer | undefined;
  readonly modelCalls: number;
  /** Answers broken off, and cut off at the output limit, since the last whole one. */
  readonly brokenAnswers: { readonly interrupted: number; readonly length: number };
  readonly usage: Usage;
  /** Tokens of the last model call, prompt and answer. */
  readonly contextTokens: number;
}

/** A model call that has started and not ended; its answer is what clients were shown of it. */
export interface ModelAnswer {
  readonly call: number;
  readonly closed: readonly Segment[];
  readonly open: Segment | undefined;
  /** Tool calls whose arguments clients were shown as they came. */
  readonly partials: readonly { readonly callId: string; readonly kind: ToolKind }[];
  /** Tool calls that are complete, to be run when the answer ends as it should. */
  readonly calls: readonly tandem.ToolRequested[];
}

export interface Segment {
  readonly type: 'reasoning' | 'text';
  readonly text: string;
  readonly startedAt: number;
  /** Of reasoning: how long it took, once clients were told that it is complete. */
  readonly durationMs: number | undefined;
  readonly providerOptions: ProviderOptions | undefined;
}

export const MODEL_CALL: ModelCallState = {
  model: undefined,
  modelCalls: 0,
  brokenAnswers: { interrupted: 0, length: 0 },
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  contextTokens: 0,
};
