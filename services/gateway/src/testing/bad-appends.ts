import { gzipSync } from 'node:zlib';
import { appendBody, HEARTBEAT } from './http-client.ts';

const MIB = 1024 * 1024;

const TOO_LONG = 'r'.repeat(257);
export const id = (requestId: string) => appendBody(requestId, 0);

export interface BadAppend {
  name: string;
  body?: Uint8Array | string;
  headers?: Record<string, string>;
  status: number;
  code: string;
  message: string | RegExp;
}

export const APPENDS: BadAppend[] = [
  {
    name: 'no key',
    headers: { authorization: '' },
    status: 401,
    code: 'unauthenticated',
    message: /No API key/,
  },
  {
    name: 'a wrong key',
    headers: { authorization: 'Bearer nope' },
    status: 401,
    code: 'unauthenticated',
    message: /API key is not valid/,
  },
  {
    name: 'a forged token',
    headers: { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
    status: 401,
    code: 'unauthenticated',
    message: /not valid/,
  },
  {
    name: 'no request id',
    body: id(''),
    status: 400,
    code: 'invalid_argument',
    message: /request id is missing/,
  },
  {
    name: 'an over-long request id',
    body: id(TOO_LONG),
    status: 400,
    code: 'invalid_argument',
    message: /longer than 256/,
  },
  {
    name: 'a request id with a blank',
    body: id('a b'),
    status: 400,
    code: 'invalid_argument',
    message: /visible ASCII/,
  },
  {
    name: 'a request id with a line end',
    body: id('a\nb'),
    status: 400,
    code: 'invalid_argument',
    message: /visible ASCII/,
  },
  {
    name: 'a request id with NUL',
    body: id('a\0'),
    status: 400,
    code: 'invalid_argument',
    message: /visible ASCII/,
  },
  {
    name: 'an odd original request id',
    headers: { 'x-original-request-id': 'a b' },
    status: 400,
    code: 'invalid_argument',
    message: /x-original-request-id/,
  },
  {
    name: 'both payloads',
    body: appendBody('r1', 0, HEARTBEAT, { dataBinary: HEARTBEAT }),
    status: 400,
    code: 'invalid_argument',
    message: /Both data/,
  },
  {
    name: 'no payload, which is also what a message without content looks like',
    body: appendBody('r1', 0, ''),
    status: 400,
    code: 'invalid_argument',
    message: /message is missing/,
  },
  {
    name: 'hex of odd length',
    body: appendBody('r1', 0, '3a0'),
    status: 400,
    code: 'invalid_argument',
    message: /not hexadecimal/,
  },
  {
    name: 'no hex',
    body: appendBody('r1', 0, '3azz'),
    status: 400,
    code: 'invalid_argument',
    message: /not hexadecimal/,
  },
  {
    name: 'bytes that are no message',
    body: appendBody('r1', 0, 'ffff'),
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'a negative seqno',
    body: appendBody('r1', -1),
    status: 400,
    code: 'invalid_argument',
    message: /negative/,
  },
  {
    name: 'a huge seqno',
    body: appendBody('r1', 2n ** 62n),
    status: 400,
    code: 'invalid_argument',
    message: /above/,
  },
  {
    name: 'a body that is no request',
    body: new Uint8Array([255, 255]),
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'an empty body',
    body: '',
    status: 400,
    code: 'invalid_argument',
    message: /request id is missing/,
  },
  {
    name: 'JSON that is none',
    body: '{',
    headers: { 'content-type': 'application/json' },
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'no content type that we know',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'invalid_argument',
    message: /content type is not supported/,
  },
  {
    name: 'a content encoding that we do not know',
    headers: { 'content-encoding': 'br' },
    status: 501,
    code: 'unimplemented',
    message: /content encoding/,
  },
  {
    name: 'gzip that is none',
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'a gzip bomb',
    body: gzipSync(Buffer.alloc(50 * MIB)),
    headers: { 'content-encoding': 'gzip' },
    status: 429,
    code: 'resource_exhausted',
    message: /too large/,
  },
  {
    name: 'a message over the limit',
    body: appendBody('r1', 0, '', { dataBinary: new Uint8Array(MIB + 1) }),
    status: 429,
    code: 'resource_exhausted',
    message: /too large/,
  },
  {
    name: 'a body over the limit',
    body: new Uint8Array(3 * MIB),
    status: 429,
    code: 'resource_exhausted',
    message: /too large/,
  },
  {
    name: 'a blob key that is none',
    headers: { 'x-blob-encryption-key': 'abc' },
    status: 400,
    code: 'invalid_argument',
    message: /x-blob-encryption-key/,
  },
];
