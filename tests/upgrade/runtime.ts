// The one place that names where the runtime and its adapters in memory are found.
export {
  appendMessage,
  commandSubject,
  encodePresence,
  journalSubject,
  type LogRecord,
  MemoryDispatch,
  MemoryLeases,
  MemoryLog,
  MemorySignals,
  presenceSubject,
  seededEntropy,
  type TurnKey,
  turnKey,
  VirtualClock,
} from '@tandem/actor-core';
