import { fromBinary } from '@bufbuild/protobuf';
import type { ConnectCode } from '@tandem/errors';
import { aiserver } from '@tandem/proto';
import { ClientError } from './client-error.ts';

/** Which exchange the server refused: the stream of events, an append, or another call. */
export type ErrorSource = 'stream' | 'append' | 'call';

/** An error as a server put it, whether as EndStream or as the JSON body of an HTTP answer. */
export interface ServerErrorFacts {
  readonly source: ErrorSource;
  readonly code: string;
  readonly message?: string;
  /** Absent when the error came as EndStream. */
  readonly httpStatus?: number;
  readonly details?: readonly { readonly type: string; readonly value: Uint8Array }[];
}

/** The server said no. `message` is what a person should read. */
export class ServerError extends ClientError {
  override readonly name = 'ServerError';
  readonly source: ErrorSource;
  readonly code: string;
  readonly httpStatus: number | undefined;
  /** The server's own details, when it sent any that can be read. */
  readonly details: aiserver.ErrorDetails | undefined;

  constructor(facts: ServerErrorFacts) {
    const details = findDetails(facts);
    super(shownText(facts, details));
    this.source = facts.source;
    this.code = facts.code;
    this.httpStatus = facts.httpStatus;
    this.details = details;
  }

  /** False for an error that says so, and for a refusal of who the client is. */
  get retryable(): boolean {
    if (this.code === 'unauthenticated' || this.code === 'permission_denied') return false;
    return this.details?.details?.isRetryable !== false;
  }
}

/** The code that stands for an HTTP status without a Connect body. Connect protocol, "HTTP to Error Code". */
function codeOfHttpStatus(status: number): ConnectCode {
  switch (status) {
    case 400:
      return 'internal';
    case 401:
      return 'unauthenticated';
    case 403:
      return 'permission_denied';
    case 404:
      return 'unimplemented';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    default:
      return 'unknown';
  }
}

/** Makes an error of an HTTP answer other than 200. */
export function errorOfHttp(source: ErrorSource, httpStatus: number, body: Uint8Array): ServerError {
  const { code, message, details } = readJson(body);
  return new ServerError({
    source,
    httpStatus,
    code: typeof code === 'string' ? code : codeOfHttpStatus(httpStatus),
    message: typeof message === 'string' ? message : `HTTP status ${httpStatus}`,
    details: Array.isArray(details) ? details.flatMap(readDetail) : [],
  });
}

/** A Connect error's JSON, or the `error` member that REST answers wrap it in; empty when it is neither. */
function readJson(body: Uint8Array): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (!isObject(json)) return {};
    return isObject(json.error) ? json.error : json;
  } catch {
    // A proxy's error page: the status says what there is to say.
    return {};
  }
}

function readDetail(detail: unknown): { type: string; value: Uint8Array }[] {
  if (!isObject(detail) || typeof detail.type !== 'string' || typeof detail.value !== 'string') return [];
  return [{ type: detail.type, value: Buffer.from(detail.value, 'base64') }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function findDetails({ details }: ServerErrorFacts): aiserver.ErrorDetails | undefined {
  const found = details?.find(({ type }) => type === aiserver.ErrorDetailsSchema.typeName);
  if (!found) return undefined;
  try {
    return fromBinary(aiserver.ErrorDetailsSchema, found.value);
  } catch {
    // Details are additional: an error with unreadable ones is still that error.
    return undefined;
  }
}

function shownText({ code, message }: ServerErrorFacts, details: aiserver.ErrorDetails | undefined): string {
  const text = [details?.details?.title, details?.details?.detail].filter(Boolean).join(' ');
  return text || `[${code}] ${message ?? 'no message'}`;
}
