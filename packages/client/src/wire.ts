// The parts that a client is made of, for clients of tests and benchmarks that do on purpose what no client should: whatever they
// change, numbers, answers, retries and the meaning of what comes are the same code.
export { sleep } from '@tandem/errors';
export { answerExec } from './answers/answer-exec.ts';
export { answerKv } from './answers/answer-kv.ts';
export type { Call, Connection } from './connection.ts';
export { appendCall, createAppender, encodeMessage } from './stream/appender.ts';
export { readEvents, streamCall, subscribe } from './stream/event-reader.ts';
export { type Answers, type Attempt, type AttemptOptions, answerFrame, every } from './turn/attempt.ts';
export { createExecs } from './turn/execs.ts';
export { runTurn, type TurnHost } from './turn/run-turn.ts';
export { EMPTY_RECORD, record, type TurnRecord } from './turn/turn-record.ts';
