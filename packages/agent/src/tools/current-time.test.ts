import { expect, it } from 'vitest';
import { callTool } from '../testing/call-tool.ts';
import { currentTimeTool } from './current-time.ts';

const SUMMER = Date.UTC(2026, 6, 31, 23, 5, 9, 999);
const WINTER = Date.UTC(2026, 11, 31, 23, 0, 0);

it.each([
  [undefined, SUMMER, '2026-07-31T23:05:09+00:00, Friday, UTC'],
  ['Europe/Berlin', SUMMER, '2026-08-01T01:05:09+02:00, Saturday, Europe/Berlin'],
  ['Europe/Berlin', WINTER, '2027-01-01T00:00:00+01:00, Friday, Europe/Berlin'],
  ['America/St_Johns', WINTER, '2026-12-31T19:30:00-03:30, Thursday, America/St_Johns'],
])('in %s at %d it is %s', (zone, startedAt, value) => {
  const { asked, output, shown } = callTool(currentTimeTool, { zone }, [], { startedAt });
  expect(asked).toEqual([]);
  expect(output).toEqual({ type: 'text', value });
  expect(shown).toMatchObject({
    case: 'mcpToolCall',
    value: {
      args: { name: 'current_time', toolName: 'current_time', toolCallId: 'c1' },
      result: {
        result: {
          case: 'success',
          value: { content: [{ content: { case: 'text', value: { text: value } } }] },
        },
      },
    },
  });
});

it('shows the zone that was asked for', () => {
  const { shown } = callTool(currentTimeTool, { zone: 'Asia/Tokyo' }, []);
  expect(shown).toMatchObject({
    value: { args: { args: { zone: { kind: { case: 'stringValue', value: 'Asia/Tokyo' } } } } },
  });
});

it('refuses a zone that there is not', () => {
  expect(() => callTool(currentTimeTool, { zone: 'Mars/Olympus' }, [])).toThrow('no time zone');
});
