import type { Check } from './violation.ts';

/** How long a heartbeat may still come after the last sign of life (the stream's opening is one): 30 s, a tick, its way. */
const HIDING_MS = 33_000;

/** A heartbeat does not hide a dead cluster: with both engines gone, streams fall silent and end. */
export const heartbeatsTellTheTruth: Check = ({ cast, plan, world }, _logs, report) => {
  // A slow client comes to what was sent before the blackout while it lasts.
  const swift = cast.turns.filter(({ behaviour }) => behaviour.readMs === 0);
  for (const fault of plan.faults) {
    if (fault.kind !== 'blackout') continue;
    for (const { requestId, openedAt, heartbeats } of swift.flatMap(({ attempts }) =>
      attempts.flatMap(({ streams }) => streams),
    )) {
      const during = heartbeats.filter((at) => at > fault.at && at < fault.at + fault.ms);
      if (during.length > 0) world.history.count('measured: heartbeats in a blackout');
      const last = during.at(-1) ?? 0;
      if (last > Math.max(openedAt, fault.at) + HIDING_MS)
        report(`${requestId} opened at ${openedAt}, got a heartbeat ${last - fault.at} ms into a blackout`);
    }
  }
};
