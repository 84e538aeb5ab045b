import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import type { ModelEvent, Usage } from '../../model/port.ts';
import { modelParameters, requestedModel } from '../context/requested-model.ts';
import { beginEnding } from '../ending/ending.ts';
import { TAKEN_OVER } from '../evolve-record.ts';
import { proceedQueued } from '../injections/deliver.ts';
import { proceedRestore } from '../restore/load-blobs.ts';
import type { Step } from '../step.ts';
import { showToolWarnings } from '../tool-calls/tool-warnings.ts';
import { toolDefinitions } from '../tool-calls/turn-tools.ts';
import { appendMessage, commitAnswer, endReasoning, endStep, startStep } from '../transcript/commit.ts';
import { newMode } from '../transcript/context-news.ts';
import { textMessage, transcript } from '../transcript/transcript.ts';
import { decideToolEvent } from './tool-events.ts';

/** Said to a model whose answer was cut. Part of the transcript, so that later requests extend this one. */
export const CONTINUE =
  '[Your last message was cut off while it was being sent. Go on exactly where it stops, without repeating or announcing anything.]';

/** Said to a model whose answer reached its output limit within a tool call. */
export const SPLIT_CALLS =
  '[Your last message was cut off at the output limit within a tool call, so that none of its calls was run. Split the work into smaller calls.]';

/** Calls the model when the turn has something to say to it and no call runs. */
export function proceedModel(step: Step): boolean {
  const { model, process } = step.state;
  if (model && process.modelCall === model.call) return false;
  if (model) {
    // The process that ran this call is gone. What clients were shown stays.
    if (commitAnswer(step, { reason: TAKEN_OVER })) continueAnswer(step);
    return true;
  }
  if (step.state.restore.missing > 0) return proceedRestore(step);
  if (proceedQueued(step)) return true;
  const fault = windowFault(step);
  if (fault) fail(step, fault);
  else startCall(step);
  return true;
}

/** Takes in what a model call yields. */
export function decideModelEvent(step: Step, call: number, event: ModelEvent): void {
  const { model, process } = step.state;
  // A call that was aborted may still yield something.
  if (model?.call !== call || process.modelCall !== call) return;
  switch (event.type) {
    case 'text':
      if (event.text === '') return;
      endReasoning(step);
      step.update({ case: 'textDelta', value: { text: event.text } }, startOf(step, 'text'));
      return;
    case 'reasoning':
      if (event.text === '') return;
      step.update({ case: 'thinkingDelta', value: { text: event.text } }, startOf(step, 'reasoning'));
      return;
    case 'reasoning_end':
      endReasoning(step);
      if (event.providerOptions) {
        const providerOptionsJson = JSON.stringify(event.providerOptions);
        step.record({ case: 'reasoningEnded', value: { providerOptionsJson } });
      }
      return;
    case 'finish':
      finishCall(step, event);
      return;
    case 'tool_input_start':
    case 'tool_input_delta':
    case 'tool_call':
      decideToolEvent(step, event);
      return;
  }
}

/** A model call failed before its first event. */
export function decideModelFailure(step: Step, call: number, error: TandemError): void {
  if (step.state.model?.call !== call || step.state.process.modelCall !== call) return;
  commitAnswer(step, { reason: 'failed' });
  endStep(step);
  beginEnding(step, tandem.TurnEnd.FAILED, error);
}

/** Why the conversation can't go on: nothing shortens it yet, and a provider would only refuse it. */
function windowFault({ state, config }: Step): TandemError | undefined {
  const window = config.models.find(requestedModel(state))?.contextWindow ?? 0;
  const used = state.contextTokens || (state.request?.run.conversationState?.tokenDetails?.usedTokens ?? 0);
  return window > 0 && used >= window ? new TandemError('context_too_long') : undefined;
}

function startCall(step: Step): void {
  // A tool call may have switched the mode.
  const mode = newMode(step.state);
  if (mode.length > 0) appendMessage(step, { role: 'user', content: mode });

  const { state } = step;
  const call = state.modelCalls + 1;
  const model = requestedModel(state);
  if (call === 1) showToolWarnings(step);
  startStep(step);
  step.record({ case: 'modelCallStarted', value: { call, model } });
  step.local({ type: 'model_running', call });
  step.effect({
    type: 'model_call',
    call,
    subagent: Boolean(state.request?.run.subagentTypeName),
    request: {
      model,
      messages: transcript(state),
      tools: toolDefinitions(state),
      parameters: modelParameters(state),
      conversationId: state.request?.run.conversationId ?? '',
    },
  });
}

function finishCall(step: Step, event: ModelEvent & { type: 'finish' }): void {
  const { reason, deployment } = event;
  const usage: Usage = event.usage;
  const { brokenAnswers } = step.state;
  const { continuations } = step.config.limits;
  const calls = step.state.model?.calls.length ?? 0;
  const whole = reason === 'stop' || reason === 'tool_calls';
  const cutCalls = !whole && (step.state.model?.partials.length ?? 0) + calls > 0;
  // That there are calls decides: some providers end such an answer as if it had none.
  const more = commitAnswer(step, { reason, usage, deployment, runsTools: whole && calls > 0 });
  switch (reason) {
    case 'stop':
    case 'tool_calls':
      if (calls > 0) return;
      endStep(step);
      // What came meanwhile is delivered, and answered, in this turn.
      if (step.state.queued.length > 0) return;
      beginEnding(step, tandem.TurnEnd.COMPLETED);
      return;
    case 'length':
      if ((more || cutCalls) && brokenAnswers.length < continuations) {
        if (cutCalls) continueWith(step, SPLIT_CALLS);
        else continueAnswer(step);
      } else fail(step, new TandemError('output_cut_off'));
      return;
    case 'interrupted':
    case 'error':
      if (brokenAnswers.interrupted >= continuations) fail(step, new TandemError('provider_interrupted'));
      else if (more) continueAnswer(step);
      return;
    case 'content_filter':
      fail(step, new TandemError('content_filtered'));
  }
}

function continueAnswer(step: Step): void {
  continueWith(step, CONTINUE);
}

function continueWith(step: Step, note: string): void {
  endStep(step);
  appendMessage(step, textMessage(note));
}

function fail(step: Step, error: TandemError): void {
  endStep(step);
  beginEnding(step, tandem.TurnEnd.FAILED, error);
}

/** The time of a segment's first delta goes with it, so that every process knows how long it took. */
function startOf(step: Step, type: 'text' | 'reasoning'): number | undefined {
  return step.state.model?.open?.type === type ? undefined : step.now;
}
