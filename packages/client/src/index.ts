export type { Clock } from '@tandem/errors';
export type { InteractionAnswer, InteractionHandler } from './answers/answer-interaction.ts';
export { answerAlone } from './answers/answer-interaction.ts';
export { type BlobStore, MemoryBlobStore } from './answers/blob-store.ts';
export type {
  ExecAnswer,
  ExecArgs,
  ExecContext,
  ExecHandler,
  ExecHandlers,
  ExecKind,
} from './answers/exec-handler.ts';
export { requestContextHandler, type Workspace } from './answers/request-context.ts';
export type { ListedModel } from './calls.ts';
export {
  type Client,
  type ClientOptions,
  type ClientStreamOptions,
  createClient,
  systemClock,
} from './client.ts';
export type { Entropy } from './connection.ts';
export { ClientError, ConnectionError, type ConnectionFault } from './errors/client-error.ts';
export { type ErrorSource, ServerError } from './errors/server-error.ts';
export type { Appender, ClientMessage } from './stream/appender.ts';
export type { ServerFrame } from './stream/event-reader.ts';
export type { TurnStream } from './stream/open-turn.ts';
export { type NodeTransportOptions, nodeTransport } from './transport/node-transport.ts';
export { type HttpRequest, type HttpResponse, readBody, type Transport } from './transport/transport.ts';
export type { Attempt } from './turn/attempt.ts';
export {
  NO_RETRIES,
  OFFICIAL_RETRIES,
  type RetryClass,
  type RetryPolicy,
  retryClass,
} from './turn/retry-policy.ts';
export { type RunRequest, runRequest } from './turn/run-request.ts';
export type { TurnOptions, TurnResult } from './turn/run-turn.ts';
export { isHeartbeat, type TurnRecord, type Usage } from './turn/turn-record.ts';
