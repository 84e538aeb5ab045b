import { fromBinary } from '@bufbuild/protobuf';
import { aiserver, type ParsedEndStream } from '@tandem/proto';
import { HttpFault } from '../services/http.ts';
import type { AttemptEnd } from './attempt-record.ts';

/** Enums of error details that stop an official client whatever else is said (docs/protocol.md, 10). */
const STOPPING = new Set([1, 2, 3, 7, 8, 9, 10, 11, 12, 18, 22, 23, 30, 38, 42, 44, 45, 46, 47, 50, 51]);
const CUSTOM_MESSAGE = 29;

/** How an attempt ended whose stream ended so (docs/protocol.md, 8). Undefined: without an EndStream. */
export function classOfEnd(
  end: ParsedEndStream | undefined,
  seen: { readonly turnEnded: boolean; readonly terminal: boolean },
): AttemptEnd {
  if (seen.terminal) return { kind: 'well' };
  if (!end) return { kind: 'transport', reason: 'cut' };
  if (end.code === undefined) {
    return seen.turnEnded ? { kind: 'well' } : { kind: 'transport', reason: 'no turn_ended' };
  }
  const reason = `${end.code}: ${end.message}`;
  if (end.code === 'unauthenticated' || end.code === 'permission_denied' || isFinal(end)) {
    return { kind: 'final', reason };
  }
  if (end.code === 'canceled' || end.code === 'aborted') return { kind: 'transport', reason };
  return { kind: 'server', reason };
}

/** How an attempt ends one of whose appends failed. */
export function classOfAppend(fault: unknown): Exclude<AttemptEnd, { kind: 'well' }> {
  if (!(fault instanceof HttpFault)) throw fault;
  const { kind, error } = fault;
  if (error && !error.retryable) return { kind: 'final', reason: `append: ${error.reason}` };
  return { kind: 'server', reason: `append: ${error?.reason ?? kind}` };
}

function isFinal({ details }: ParsedEndStream): boolean {
  const detail = details.find(({ type }) => type === 'aiserver.v1.ErrorDetails');
  if (!detail) return false;
  const { error, details: custom } = fromBinary(aiserver.ErrorDetailsSchema, detail.value);
  if (custom?.isRetryable === false) return true;
  return STOPPING.has(error) || (error === CUSTOM_MESSAGE && custom?.isRetryable !== true);
}
