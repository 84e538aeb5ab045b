import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer } from '../testing/call-tool.ts';
import { awaitCommandTool } from './await-command.ts';
import { shellTool } from './shell.ts';
import type { Answer } from './steps.ts';
import { parseTerminal } from './terminal-output.ts';
import { writeShellTool } from './write-shell.ts';

type Spawned = MessageInitShape<typeof agent.BackgroundShellSpawnResultSchema>['result'];

const HEADER = '---\npid: 7\ncommand: "x READY"\nstatus: running\n---\n';
const FOOTER = '\n---\nexit_code: 3\nelapsed_ms: 5\nended_at: 2026-01-01T00:00:00Z\n---\n';
const PAUSED: Answer = { type: 'paused' };
const MISSING = execAnswer({
  case: 'readResult',
  value: { result: { case: 'fileNotFound', value: { path: '/terminals/7.txt' } } },
});

function read(content: string, rangeApplied = false): Answer {
  const value = {
    path: '/terminals/7.txt',
    output: { case: 'content', value: content },
    rangeApplied,
  } as const;
  return execAnswer({ case: 'readResult', value: { result: { case: 'success', value } } });
}

describe('run_command in the background', () => {
  const input = { command: 'serve', background: true, description: 'Serves' };
  const spawned = (result: Spawned) =>
    callTool(shellTool, input, [execAnswer({ case: 'backgroundShellSpawnResult', value: { result } })]);

  it('has the client start it, and names its shell', () => {
    const { asked, output, shown } = spawned({ case: 'success', value: { shellId: 7, pid: 9 } });
    expect(asked).toMatchObject([
      {
        type: 'exec',
        exec: {
          case: 'backgroundShellSpawnArgs',
          value: {
            command: 'serve',
            toolCallId: 'c1',
            parsingResult: { parsingFailed: true },
            enableWriteShellStdinTool: true,
            conversationId: 'conv',
          },
        },
        repeatable: false,
      },
    ]);
    expect(output?.value).toContain('as shell 7');
    expect(shown).toMatchObject({
      case: 'shellToolCall',
      value: {
        args: { isBackground: true },
        result: { isBackground: true, result: { case: 'success', value: { shellId: 7, pid: 9 } } },
      },
    });
  });

  it.each<[Spawned, string, string]>([
    [{ case: 'rejected', value: { reason: 'no' } }, 'rejected', 'The user did not allow it. no'],
    [
      { case: 'permissionDenied', value: { error: 'x' } },
      'permissionDenied',
      'The command may not be run. x',
    ],
    [{ case: 'error', value: { error: 'ENOENT' } }, 'spawnError', 'The command could not be started: ENOENT'],
    [{ case: 'sandboxUnsupported', value: {} }, 'spawnError', 'The sandbox is not available.'],
    [{ case: undefined }, 'spawnError', 'The client gave an answer that is not understood.'],
  ])('tells %j', (result, kind, value) => {
    const { output, shown } = spawned(result);
    expect(output).toEqual({ type: 'error-text', value });
    expect(shown).toMatchObject({ value: { result: { result: { case: kind } } } });
  });

  it('lets a command that takes too long go on, if asked to', () => {
    const [ask] = callTool(shellTool, { command: 'x', on_timeout: 'background' }, []).asked;
    expect(ask).toMatchObject({ exec: { case: 'shellStreamArgs', value: { timeoutBehavior: 2 } } });
  });
});

describe('write_to_command', () => {
  it.each([
    [{ case: 'success', value: { shellId: 7 } } as const, 'text', 'Typed into shell 7.'],
    [{ case: 'error', value: { error: 'gone' } } as const, 'error-text', 'gone'],
    [{ case: undefined } as const, 'error-text', 'The client gave an answer that is not understood.'],
  ])('%j', (result, type, value) => {
    const { asked, output, shown } = callTool(writeShellTool, { shell_id: 7, text: 'y\n' }, [
      execAnswer({ case: 'writeShellStdinResult', value: { result } }),
    ]);
    expect(asked).toMatchObject([
      { exec: { case: 'writeShellStdinArgs', value: { shellId: 7, chars: 'y\n' } }, repeatable: false },
    ]);
    expect(output).toEqual({ type, value });
    expect(shown?.case).toBe('writeShellStdinToolCall');
  });
});

describe('await_command', () => {
  it('reads on from where it stopped until the command has ended', () => {
    const { asked, output, shown } = callTool(awaitCommandTool, { shell_id: 7 }, [
      read(`${HEADER}one\ntw`),
      PAUSED,
      read('two\n', true),
      PAUSED,
      read(FOOTER, true),
    ]);
    expect(asked).toMatchObject([
      { exec: { case: 'readArgs', value: { path: '/terminals/7.txt', offset: undefined } } },
      { type: 'pause', ms: 250 },
      { exec: { case: 'readArgs', value: { offset: 7, toolCallId: 'c1.2' } } },
      { type: 'pause', ms: 500 },
      { exec: { case: 'readArgs', value: { offset: 8 } } },
    ]);
    expect(output?.value).toBe('one\ntwo\n[The command has ended, exit code 3.]');
    expect(shown).toMatchObject({
      case: 'awaitToolCall',
      value: {
        result: {
          result: {
            case: 'success',
            value: { awaitResult: { case: 'complete', value: { taskId: '7', exitCode: 3 } } },
          },
        },
      },
    });
  });

  it('sees the end though it is read while the client still writes it', () => {
    const [first = '', ...rest] = FOOTER.split('elapsed');
    const { output } = callTool(awaitCommandTool, { shell_id: 7 }, [
      read(`${HEADER}one${first}ela`),
      PAUSED,
      read(`elapsed${rest.join('elapsed')}`, true),
    ]);
    expect(output?.value).toBe('one\n[The command has ended, exit code 3.]');
  });

  it('returns at the first match of its pattern, which the command line itself is none', () => {
    const input = { shell_id: 7, pattern: '^READY \\d+$' };
    expect(callTool(awaitCommandTool, { ...input, pattern: 'READY' }, [read(HEADER)]).output).toBeUndefined();
    const { output, shown } = callTool(awaitCommandTool, input, [
      read(`${HEADER}start\n`),
      PAUSED,
      read('READY 12\nmore\n', true),
    ]);
    expect(output?.value).toBe('start\nREADY 12\nmore\n[The pattern matches: READY 12. It still runs.]');
    expect(shown).toMatchObject({
      value: { result: { result: { value: { awaitResult: { value: { regexMatch: 'READY 12' } } } } } },
    });
  });

  it('looks once when it is not to wait, and else waits no longer than it may', () => {
    expect(callTool(awaitCommandTool, { shell_id: 7, timeout_ms: 0 }, [read(HEADER)]).output?.value).toBe(
      '[It still runs after 0 s.]',
    );
    const input = { shell_id: 7, timeout_ms: 600 };
    const { asked, output } = callTool(awaitCommandTool, input, [
      read(HEADER),
      PAUSED,
      read('', true),
      PAUSED,
      read('', true),
    ]);
    expect(asked.flatMap((ask) => (ask.type === 'pause' ? [ask.ms] : []))).toEqual([250, 350]);
    expect(output?.value).toBe('[It still runs after 1 s.]');
  });

  it('says that a pattern never came', () => {
    const { output } = callTool(awaitCommandTool, { shell_id: 7, pattern: 'x' }, [
      read(`${HEADER}a${FOOTER}`),
    ]);
    expect(output?.value).toBe('a\n[The command has ended, exit code 3. The pattern did not match.]');
  });

  it('gives a new command time to appear, and tells of one that is not there', () => {
    const answers = [MISSING, PAUSED, MISSING, PAUSED, MISSING, PAUSED, MISSING, PAUSED, MISSING];
    expect(callTool(awaitCommandTool, { shell_id: 7 }, answers.slice(0, 3)).output).toBeUndefined();
    expect(callTool(awaitCommandTool, { shell_id: 7 }, answers).output).toEqual({
      type: 'error-text',
      value: 'There is no command in shell 7.',
    });
  });

  it('tells a client that does not say where output is kept, and other failures', () => {
    expect(callTool(awaitCommandTool, { shell_id: 7 }, [], { terminalsFolder: '' }).output?.type).toBe(
      'error-text',
    );
    const denied = execAnswer({
      case: 'readResult',
      value: { result: { case: 'permissionDenied', value: { path: 'p' } } },
    });
    expect(callTool(awaitCommandTool, { shell_id: 7 }, [denied]).output).toEqual({
      type: 'error-text',
      value: 'p may not be read.',
    });
  });

  it('refuses a pattern that is none, and takes one that would take others forever', () => {
    const bind = (pattern: string) => () => callTool(awaitCommandTool, { shell_id: 7, pattern }, []);
    expect(bind('(')).toThrow('no regular expression');
    expect(bind('(?=x)')).toThrow('no regular expression');
    const text = `${'a'.repeat(5_000)}!`;
    const { output } = callTool(awaitCommandTool, { shell_id: 7, pattern: '^(a+)+$', timeout_ms: 0 }, [
      read(HEADER + text),
    ]);
    expect(output?.value).toContain('still runs');
  });

  it('cuts a long output in the middle', () => {
    const { output } = callTool(awaitCommandTool, { shell_id: 7 }, [
      read(`${HEADER}start${'x'.repeat(50_000)}end${FOOTER}`),
    ]);
    const value = String(output?.value);
    expect(value).toMatch(/^start[\s\S]*characters left out[\s\S]*end\n\[The command/);
    expect(value.length).toBeLessThan(17_000);
  });
});

describe('parseTerminal', () => {
  it.each([
    [`${HEADER}a\n`, { output: 'a\n', ended: false, exitCode: undefined }],
    [`${HEADER}a${FOOTER}`, { output: 'a', ended: true, exitCode: 3 }],
    [
      `${HEADER}a\n\n---\nexit_code: unknown\nended_at: x\n---\n`,
      { output: 'a', ended: true, exitCode: undefined },
    ],
    [`${HEADER}a\n---\nerror: killed\nended_at: x\n---\n`, { output: 'a', ended: true, exitCode: undefined }],
    ['---\nnot a header', { output: '---\nnot a header', ended: false, exitCode: undefined }],
    ['', { output: '', ended: false, exitCode: undefined }],
  ])('%j', (text, parsed) => {
    expect(parseTerminal(text, true)).toEqual(parsed);
  });
});
