import { create } from '@bufbuild/protobuf';
import { type TurnKey, turnKey } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { injectTrace, type KeyOwner } from '@tandem/platform';
import { decodeHex, tandem } from '@tandem/proto';
import { header, type Request } from '../server/exchange.ts';
import { checkRequestId } from './decode-append.ts';

/**
 * What later processing needs of the headers of a turn's first message.
 * @throws TandemError bad_request for a blob key that is none
 */
export function requestInfo(
  request: Request,
  owner: KeyOwner,
  originalRequestId: string,
): tandem.RequestInfo {
  return create(tandem.RequestInfoSchema, {
    ownerId: owner.ownerId,
    keyId: owner.keyId,
    originalRequestId,
    clientType: header(request, 'x-cursor-client-type')?.slice(0, 64) ?? '',
    clientVersion: header(request, 'x-cursor-client-version')?.slice(0, 64) ?? '',
    blobEncryptionKey: blobKey(header(request, 'x-blob-encryption-key')),
    allowedTools: header(request, 'x-cursor-agent-allowed-tools'),
    excludedTools: header(request, 'x-cursor-agent-exclude-tools'),
    traceparent: injectTrace().traceparent ?? header(request, 'traceparent')?.slice(0, 64) ?? '',
  });
}

/** 64 hex digits. A key that cannot be used must not lead to blobs being cached in the clear, or not at all, in silence. */
function blobKey(hex: string | undefined): Uint8Array {
  if (!hex) return new Uint8Array(0);
  if (/^[0-9a-f]{64}$/i.test(hex)) return decodeHex(hex);
  throw new TandemError('bad_request', {
    detail: 'x-blob-encryption-key is not a key of 64 hexadecimal digits.',
  });
}

/**
 * The turn that a request belongs to: named by the request id of its first attempt, which retries keep in a header.
 * @throws TandemError bad_request
 */
export function turnOf(
  request: Request,
  ownerId: string,
  requestId: string,
): { key: TurnKey; originalRequestId: string } {
  const original = header(request, 'x-original-request-id');
  const originalRequestId = original ? checkRequestId(original, 'x-original-request-id') : requestId;
  return { key: turnKey(ownerId, originalRequestId), originalRequestId };
}
