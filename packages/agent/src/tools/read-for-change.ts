import { type Next, QUICK } from './tool.ts';

/** Asks for a file's whole content. */
export function readForChange(path: string, callId: string): Next {
  return {
    ask: {
      type: 'exec',
      exec: { case: 'readArgs', value: { path, toolCallId: callId } },
      deadline: QUICK,
      repeatable: true,
    },
  };
}
