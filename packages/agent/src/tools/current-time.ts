import { fromJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import { defineTool, text } from './tool.ts';

const NAME = 'current_time';

export const currentTimeTool = defineTool({
  name: NAME,
  // Clients have no kind for it, and show a call of this one by its name.
  kind: 'mcpToolCall',
  access: 'read',
  description: 'Tells the current date, weekday and time.',
  schema: z.strictObject({
    zone: z
      .string()
      .refine(isZone, 'This is no time zone of the IANA database.')
      .optional()
      .describe('An IANA time zone, such as "Europe/Berlin". Default: UTC.'),
  }),
  shownArgs: ({ zone }, { callId }) => ({
    name: NAME,
    toolName: NAME,
    toolCallId: callId,
    ...(zone !== undefined && { args: { zone: fromJson(ValueSchema, zone) } }),
  }),
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  run({ zone = 'UTC' }, { startedAt }) {
    // The time at which the call was started, so that a call that is replayed tells the same.
    const said = timeIn(zone, startedAt);
    const item = { content: { case: 'text', value: { text: said } } } as const;
    return { result: { result: { case: 'success', value: { content: [item] } } }, output: text(said) };
  },
});

/** A time, in ms since the epoch, as ISO 8601 has it, with weekday and zone. */
function timeIn(timeZone: string, ms: number): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    timeZoneName: 'longOffset',
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const offset = part.timeZoneName?.replace('GMT', '') || '+00:00';
  const time = `${part.hour}:${part.minute}:${part.second}${offset}`;
  return `${part.year}-${part.month}-${part.day}T${time}, ${part.weekday}, ${timeZone}`;
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return true;
  } catch {
    // The model wrote it: it is told that it is wrong.
    return false;
  }
}
