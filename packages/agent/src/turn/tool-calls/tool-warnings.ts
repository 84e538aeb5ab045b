import { toolWarnings } from '../../tools/registry.ts';
import type { Step } from '../step.ts';
import { toolChoice } from './tool-choice.ts';

/** Tells the user which of his tools the turn has to go without. The model is not told. */
export function showToolWarnings(step: Step): void {
  const warnings = toolWarnings(toolChoice(step.state));
  if (warnings.length === 0) return;
  const text = `${warnings.join('\n')}\n\n`;
  step.update({ case: 'textDelta', value: { text, isServerNotice: true } });
}
