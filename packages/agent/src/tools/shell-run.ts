import type { agent } from '@tandem/proto';
import { whole } from './cut-text.ts';

/** Beginning and end of a long output; what lies between is only counted. */
export interface Captured {
  readonly head: string;
  readonly tail: string;
  readonly omitted: number;
}

/** A command that runs on the client, as far as it has told. */
export interface ShellRun {
  readonly started: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** Both, in the order in which they came. */
  readonly output: Captured;
  readonly end: ShellEnd | undefined;
}

export type ShellEnd = Exclude<
  agent.ShellStream['event'],
  { case: 'start' | 'stdout' | 'stderr' | 'hookContext' | undefined }
>;

/** Characters kept of each end. */
const KEPT = 16_000;
const NOTHING: Captured = { head: '', tail: '', omitted: 0 };

export const NEW_SHELL_RUN: ShellRun = {
  started: false,
  stdout: NOTHING,
  stderr: NOTHING,
  output: NOTHING,
  end: undefined,
};

/** Whether the client has nothing more to tell of a command. */
export function endsShell(event: agent.ShellStream['event']): event is ShellEnd {
  switch (event.case) {
    case 'start':
    case 'stdout':
    case 'stderr':
    case 'hookContext':
    case undefined:
      return false;
    default:
      return true;
  }
}

/** Takes in one event; nothing counts after the end. */
export function evolveShell(run: ShellRun, event: agent.ShellStream['event']): ShellRun {
  if (run.end) return run;
  switch (event.case) {
    case 'start':
      return { ...run, started: true };
    case 'stdout':
      return {
        ...run,
        started: true,
        stdout: capture(run.stdout, event.value.data),
        output: capture(run.output, event.value.data),
      };
    case 'stderr':
      return {
        ...run,
        started: true,
        stderr: capture(run.stderr, event.value.data),
        output: capture(run.output, event.value.data),
      };
    default:
      return endsShell(event) ? { ...run, end: event } : run;
  }
}

/** The text with a note where some of it is left out. */
export function capturedText({ head, tail, omitted }: Captured): string {
  return omitted > 0 ? `${head}\n[... ${omitted} characters left out ...]\n${tail}` : head + tail;
}

function capture({ head, tail, omitted }: Captured, data: string): Captured {
  const room = KEPT - head.length;
  if (data.length <= room && tail === '') return { head: head + data, tail, omitted };
  const split = tail === '' && room > 0 ? whole(data, Math.min(room, data.length)) : 0;
  const rest = tail + data.slice(split);
  // The tail is cut only now and then, so that a chunk costs its own length.
  if (rest.length <= 2 * KEPT) return { head: head + data.slice(0, split), tail: rest, omitted };
  const from = whole(rest, rest.length - KEPT);
  return { head: head + data.slice(0, split), tail: rest.slice(from), omitted: omitted + from };
}
