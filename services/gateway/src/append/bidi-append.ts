import { TandemError } from '@tandem/errors';
import type { Logger } from '@tandem/platform';
import type { Authenticator } from '../auth/authenticator.ts';
import { answerEmpty, answerEmptyJson, answerError } from '../server/connect-answers.ts';
import { type Handler, header, mediaType, type Request, type Response } from '../server/exchange.ts';
import { type CallSpan, startCallSpan } from '../tracing/call-span.ts';
import type { BodyBudget } from './body-budget.ts';
import { type ClientAppend, decodeAppend } from './decode-append.ts';
import { type BodyLimits, readBody } from './read-body.ts';
import { requestInfo, turnOf } from './request-info.ts';
import { type StoreDeps, storeAppend } from './store-append.ts';

export interface BidiAppendDeps extends StoreDeps {
  readonly auth: Authenticator;
  readonly budget: BodyBudget;
  readonly bodyLimits: BodyLimits;
  readonly maxMessageBytes: number;
  readonly logger: Logger;
  /** Told of each append: undefined when it was stored, else why not. */
  readonly observe: (error: TandemError | undefined, ms: number, bytes: number) => void;
}

/** What BidiAppendRequest has beside the message: ids, tags, and what JSON adds to them. */
const FRAMING_BYTES = 64 * 1024;

/** Most bytes that the body of an append may have: hex doubles a message. */
export function appendBodyBytes(maxMessageBytes: number): number {
  return 2 * maxMessageBytes + FRAMING_BYTES;
}

/**
 * `BidiService/BidiAppend`: one message of a client. Every client calls it every few seconds, so it is handled without
 * the framework; its answers are Connect's. The empty answer means stored.
 */
export function bidiAppendHandler(deps: BidiAppendDeps): Handler {
  return (request, response) => {
    const began = deps.clock.now();
    const span = startCallSpan('aiserver.v1.BidiService/BidiAppend', request);
    const progress: Progress = { bytes: 0, requestId: undefined, span };
    span
      .within(() => handle(deps, request, response, progress))
      .then(
        () => {
          span.end();
          deps.observe(undefined, deps.clock.now() - began, progress.bytes);
        },
        (thrown: unknown) => {
          const error = TandemError.from(thrown);
          span.end(error);
          deps.observe(error, deps.clock.now() - began, progress.bytes);
          if (error.reason === 'internal')
            deps.logger.error(
              { err: error, requestId: progress.requestId, ...span.logFields },
              'append failed',
            );
          else
            deps.logger.debug(
              {
                reason: error.reason,
                detail: error.message,
                requestId: progress.requestId,
                ...span.logFields,
              },
              'append refused',
            );
          answerError(request, response, error, thrown instanceof UnsupportedMediaType ? 415 : undefined);
        },
      );
  };
}

/** What is known of an append when it fails. */
interface Progress {
  bytes: number;
  requestId: string | undefined;
  readonly span: CallSpan;
}

async function handle(
  deps: BidiAppendDeps,
  request: Request,
  response: Response,
  progress: Progress,
): Promise<void> {
  const owner = await deps.auth.identify(request);
  const format = formatOf(request);
  const ticket = deps.budget.ticket(owner.ownerId);
  try {
    const body = await readBody(request, { limits: deps.bodyLimits, clock: deps.clock, ticket });
    progress.bytes = body.length;
    const append = decodeAppend(body, format, deps.maxMessageBytes);
    progress.requestId = append.requestId;
    noteOtherId(deps.logger, request, append);
    const { key, originalRequestId } = turnOf(request, owner.ownerId, append.requestId);
    progress.span.note({
      'tandem.request.id': append.requestId,
      'tandem.run.id': key.turn,
      'tandem.append.seqno': append.seqno,
    });
    const info = append.seqno === 0 ? requestInfo(request, owner, originalRequestId) : undefined;
    await storeAppend(deps, key, append, info);
  } finally {
    ticket.release();
  }
  if (format === 'json') answerEmptyJson(response);
  else answerEmpty(response);
}

function formatOf(request: Request): 'proto' | 'json' {
  switch (mediaType(request)) {
    case 'application/proto':
      return 'proto';
    case 'application/json':
      return 'json';
    default:
      throw new UnsupportedMediaType('application/proto or application/json');
  }
}

/** The body's request id counts (docs/protocol.md, 3). */
function noteOtherId(logger: Logger, request: Request, { requestId, seqno }: ClientAppend): void {
  const inHeader = header(request, 'x-request-id');
  if (inHeader && inHeader !== requestId) {
    logger.warn(
      { requestId, seqno, headerRequestId: inHeader.slice(0, 256) },
      'x-request-id differs from the body',
    );
  }
}

/** A content type that the endpoint does not take; Connect asks for HTTP 415. */
export class UnsupportedMediaType extends TandemError {
  constructor(expected: string) {
    super('bad_request', { detail: `The content type is not supported: send ${expected}.` });
  }
}
