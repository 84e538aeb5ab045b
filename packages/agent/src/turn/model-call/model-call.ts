import { TandemError } from '@tandem/errors';
import type { ModelEvent } from '../../model/port.ts';
import { modelParameters, requestedModel } from '../context/index.ts';
import { proceedQueued } from '../injections/index.ts';
import { proceedRestore } from '../restore/index.ts';
import type { Step } from '../step.ts';
import { showToolWarnings, toolDefinitions } from '../tool-calls/index.ts';
import {
  appendMessage,
  CONTINUE,
  endStep,
  newMode,
  startStep,
  textMessage,
  transcript,
} from '../transcript/index.ts';
import { COMPLETED, failed, type Verdict } from '../verdict.ts';
import { commitAnswer, endReasoning } from './answer.ts';
import { TAKEN_OVER } from './evolve.ts';
import { decideToolEvent } from './tool-events.ts';

/** Said to a model whose answer reached its output limit within a tool call. */
const SPLIT_CALLS =
  '[Your last message was cut off at the output limit within a tool call, so that none of its calls was run. Split the work into smaller calls.]';

/** Calls the model when the turn has something to say to it and no call runs. */
export function proceedModelCall(step: Step): Verdict {
  const { model, process } = step.state;
  if (model && process.modelCall === model.call) return undefined;
  if (model) {
    // The process that ran this call is gone. What clients were shown stays.
    if (commitAnswer(step, { reason: TAKEN_OVER })) continueWith(step, CONTINUE);
    return 'advance';
  }
  if (step.state.restore.missing > 0) return proceedRestore(step);
  const queued = proceedQueued(step);
  if (queued) return queued;
  const fault = windowFault(step);
  if (fault) return fail(step, fault);
  startCall(step);
  return 'advance';
}

/** Takes in what a model call yields. By far the most frequent input: nothing follows from most of it. */
export function decideModelEvent(step: Step, call: number, event: ModelEvent): Verdict {
  const { model, process } = step.state;
  // A call that was aborted may still yield something.
  if (model?.call !== call || process.modelCall !== call) return undefined;
  switch (event.type) {
    case 'text':
      if (event.text === '') return undefined;
      endReasoning(step);
      step.update({ case: 'textDelta', value: { text: event.text } }, startOf(step, 'text'));
      return undefined;
    case 'reasoning':
      if (event.text === '') return undefined;
      step.update({ case: 'thinkingDelta', value: { text: event.text } }, startOf(step, 'reasoning'));
      return undefined;
    case 'reasoning_end':
      endReasoning(step);
      if (event.providerOptions) {
        const providerOptionsJson = JSON.stringify(event.providerOptions);
        step.record({ case: 'reasoningEnded', value: { providerOptionsJson } });
      }
      return undefined;
    case 'tool_input_start':
    case 'tool_input_delta':
    case 'tool_call':
      decideToolEvent(step, event);
      return undefined;
    case 'finish':
      return finishCall(step, event);
  }
}

/** A model call failed before its first event. */
export function decideModelFailure(step: Step, call: number, error: TandemError): Verdict {
  if (step.state.model?.call !== call || step.state.process.modelCall !== call) return undefined;
  commitAnswer(step, { reason: 'failed' });
  return fail(step, error);
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

function finishCall(step: Step, event: ModelEvent & { type: 'finish' }): Verdict {
  const { reason, deployment, usage } = event;
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
      if (calls > 0) return 'advance';
      endStep(step);
      // What came meanwhile is delivered, and answered, in this turn.
      return step.state.queued.length > 0 ? 'advance' : COMPLETED;
    case 'length':
      if (!(more || cutCalls) || brokenAnswers.length >= continuations) {
        return fail(step, new TandemError('output_cut_off'));
      }
      continueWith(step, cutCalls ? SPLIT_CALLS : CONTINUE);
      return 'advance';
    case 'interrupted':
    case 'error':
      if (brokenAnswers.interrupted >= continuations) {
        return fail(step, new TandemError('provider_interrupted'));
      }
      if (more) continueWith(step, CONTINUE);
      return 'advance';
    case 'content_filter':
      return fail(step, new TandemError('content_filtered'));
  }
}

function continueWith(step: Step, note: string): void {
  endStep(step);
  appendMessage(step, textMessage(note));
}

function fail(step: Step, error: TandemError): Verdict {
  endStep(step);
  return failed(error);
}

/** The time of a segment's first delta goes with it, so that every process knows how long it took. */
function startOf(step: Step, type: 'text' | 'reasoning'): number | undefined {
  return step.state.model?.open?.type === type ? undefined : step.now;
}
