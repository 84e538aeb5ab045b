import type { agent } from '@tandem/proto';
import { modelCallId } from '../model-call/tool-events.ts';
import type { Step } from '../step.ts';
import { waitingCall } from './evolve.ts';

/** Shows what a running command prints. Returns false for all other messages. */
export function showShellOutput(step: Step, { id, message }: agent.ExecClientMessage): boolean {
  if (message.case !== 'shellStream') return false;
  const { event } = message.value;
  if (event.case !== 'stdout' && event.case !== 'stderr') return false;
  const call = waitingCall(step.state, 'exec', id);
  if (!call) return true;
  // Some clients show output with its call, others as it is.
  if (step.state.facts.info.clientType !== 'ide') step.update({ case: 'shellOutputDelta', value: { event } });
  const delta = { case: event.case, value: { content: event.value.data } };
  step.update({
    case: 'toolCallDelta',
    value: {
      callId: call.callId,
      toolCallDelta: { delta: { case: 'shellToolCallDelta', value: { delta } } },
      modelCallId: modelCallId(step.state),
    },
  });
  return true;
}
