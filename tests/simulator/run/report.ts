import type { SeedResult } from './run-seed.ts';

/** What must have happened at least once in a thousand seeds, or a run proves little. */
const MUST_HAPPEN: readonly string[] = [
  'fault: crash',
  'fault: trap',
  'fault: pause',
  'fault: drain',
  'fault: partition',
  'fault: weather',
  'fault: lag',
  'fault: nats down',
  'fault: no leader',
  'fault: store full',
  'fault: redis down',
  'fault: blackout',
  'fault: client cut',
  'fault: client killed',
  'fault: message lost',
  'fault: message late',
  'fault: message repeated',
  'fault: message held',
  'fault: message cut off',
  'fault: read lagged',
  'fault: live record lost',
  'fault: slow upload',
  'fault: append repeated',
  'fault: number used twice',
  'fault: blob refused',
  'fault: model interrupted',
  'trap sprung: append',
  'trap sprung: dispatch',
  'trap sprung: complete',
  'trap sprung: claim',
  'taken up: open',
  'taken up: resume',
  'taken up: answer',
  'deposed',
  'lease lost',
  'worker stalled',
  'job stalled',
  'drained',
  'purged',
  'refused: LogConflict',
  'subscription interrupted',
  'client stalled',
  'turn tried again',
  'resume attempt',
  'stream opened again',
  'stream ended by its gateway',
  'turn finished',
  'turn canceled',
  'turn killed',
  'measured: crash of a busy worker',
  'measured: drain of a busy worker',
  'measured: heartbeats in a blackout',
  'measured: a frame on its way',
  'measured: a job that was lost',
  'measured: a turn that was replaced',
  'measured: a turn that was canceled',
  'fault: not yet subscribed everywhere',
  'fault: slow reader',
  'measured: a full socket',
  'fault: odd answer',
  'measured: an effect',
  'measured: an effect that is not known of',
  'measured: a takeover while a client was at work',
  'measured: an attempt while a client was at work',
];

/** Adds up what many seeds tell. */
export class Report {
  readonly failed: SeedResult[] = [];
  readonly counts: Record<string, number> = {};
  seeds = 0;

  add(result: SeedResult): void {
    this.seeds += 1;
    if (result.violations.length > 0) this.failed.push(result);
    for (const [name, count] of Object.entries(result.counts)) {
      this.counts[name] = (this.counts[name] ?? 0) + count;
    }
  }

  /** What never happened, once there were seeds enough for it. */
  get missing(): string[] {
    return this.seeds < 1_000 ? [] : MUST_HAPPEN.filter((name) => !this.counts[name]);
  }
}
