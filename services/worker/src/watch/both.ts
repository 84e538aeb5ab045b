import type { SessionObserver } from '@tandem/actor-core';

/** Tells two observers; what is to be noted of a trace is asked of the first one that says something. */
export function both(first: SessionObserver, second: SessionObserver): SessionObserver {
  return {
    takenUp: (...told) => {
      first.takenUp?.(...told);
      second.takenUp?.(...told);
    },
    command: (...told) => {
      first.command?.(...told);
      second.command?.(...told);
    },
    item: (...told) => {
      first.item?.(...told);
      second.item?.(...told);
    },
    entryStored: (...told) => {
      first.entryStored?.(...told);
      second.entryStored?.(...told);
    },
    logicFailed: (...told) => {
      first.logicFailed?.(...told);
      second.logicFailed?.(...told);
    },
    retentionFailed: (...told) => {
      first.retentionFailed?.(...told);
      second.retentionFailed?.(...told);
    },
    deposed: (...told) => {
      first.deposed?.(...told);
      second.deposed?.(...told);
    },
    left: (...told) => {
      first.left?.(...told);
      second.left?.(...told);
    },
    traceparent: (key) => first.traceparent?.(key) ?? second.traceparent?.(key),
  };
}
