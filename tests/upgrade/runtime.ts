// The one place that names where the runtime and its adapters in memory are found.
export {
  appendMessage,
  commandSubject,
  encodePresence,
  journalSubject,
  type LogRecord,
  presenceSubject,
  type TurnKey,
  turnKey,
} from '@tandem/actor-core';
export { MemoryDispatch, MemoryLeases, MemoryLog, MemorySignals } from '@tandem/actor-core/memory';
export { seededEntropy, VirtualClock } from '@tandem/actor-core/testing';
