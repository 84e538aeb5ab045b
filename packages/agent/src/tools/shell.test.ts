import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, shellAnswer } from '../testing/call-tool.ts';
import { shellTool } from './shell.ts';

const stdout = (data: string) => ({ case: 'stdout', value: { data } }) as const;
const stderr = (data: string) => ({ case: 'stderr', value: { data } }) as const;
const START = { case: 'start', value: {} } as const;

describe('run_command', () => {
  it('asks the client, with a clock that starts when the command does', () => {
    const { asked } = callTool(shellTool, { command: 'ls', timeout_ms: 5000 }, []);
    expect(asked).toMatchObject([
      {
        exec: { case: 'shellStreamArgs', value: { command: 'ls', timeout: 5000, toolCallId: 'c1' } },
        deadline: { ms: 25_000, from: 'start' },
        repeatable: false,
      },
    ]);
  });

  it('gives the output in the order in which it came', () => {
    const answer = shellAnswer([
      START,
      stdout('a\n'),
      stderr('b\n'),
      stdout('c'),
      { case: 'exit', value: { code: 0, cwd: '/w' } },
    ]);
    const { output, shown } = callTool(shellTool, { command: 'x' }, [answer]);
    expect(output?.value).toBe('a\nb\nc\n[Exit code 0; working directory /w]');
    expect(shown).toMatchObject({
      case: 'shellToolCall',
      value: {
        result: { result: { case: 'success', value: { stdout: 'a\nc', stderr: 'b\n', exitCode: 0 } } },
      },
    });
  });

  it('tells a failure, a killed command and a time-out apart', () => {
    const ends = [
      { code: 2 },
      { code: 4294967295, aborted: true, abortReason: agent.ShellAbortReason.USER_ABORT },
      { code: 4294967295, aborted: true, abortReason: agent.ShellAbortReason.TIMEOUT },
    ].map((value) => callTool(shellTool, { command: 'x' }, [shellAnswer([START, { case: 'exit', value }])]));
    expect(ends.map(({ output }) => output?.value)).toEqual([
      '[Exit code 2]',
      '[Stopped by the user]',
      '[Ended: it ran into its time limit]',
    ]);
    expect(ends[1]?.shown).toMatchObject({
      value: { result: { result: { case: 'failure', value: { exitCode: -1, aborted: true } } } },
    });
  });

  it.each([
    [{ case: 'rejected', value: { reason: 'no' } } as const, 'The user did not allow it. no'],
    [{ case: 'permissionDenied', value: { error: 'x' } } as const, 'The command may not be run. x'],
    [{ case: 'sandboxUnsupported', value: {} } as const, 'The sandbox is not available.'],
  ])('tells %j', (event, said) => {
    expect(callTool(shellTool, { command: 'x' }, [shellAnswer([event])]).output).toEqual({
      type: 'error-text',
      value: said,
    });
  });

  it('says when a command goes on in the background', () => {
    const answer = shellAnswer([START, stdout('up'), { case: 'backgrounded', value: { shellId: 3 } }]);
    expect(callTool(shellTool, { command: 'x' }, [answer]).output?.value).toBe(
      'up\n[Goes on in the background as shell 3. Wait for it with await_command.]',
    );
  });

  it('keeps beginning and end of a long output, in bounded memory', () => {
    const chunks = Array.from({ length: 2000 }, (_, index) => stdout(`${index}:${'x'.repeat(100)}\n`));
    const { output } = callTool(shellTool, { command: 'x' }, [
      shellAnswer([START, ...chunks, { case: 'exit', value: {} }]),
    ]);
    const value = String(output?.value);
    expect(value.startsWith('0:')).toBe(true);
    expect(value).toContain('1999:');
    expect(value).toMatch(/\[\.\.\. \d+ characters left out \.\.\.\]/);
    expect(value.length).toBeLessThan(50_000);
  });
});
