import { z } from 'zod';

/** What each integer field of the wire can hold. */
const MAX_INT32 = 0x7fff_ffff;
const MAX_UINT32 = 0xffff_ffff;

/** A whole number among a tool's arguments that becomes a field of the wire. @param min the least that makes sense */
export function wireInt(min: number) {
  return z.int().min(min).max(MAX_INT32);
}

/** A client's number for a field of 32 bits without a sign: what is out of its range becomes the nearest that is not. */
export function uint32(value: number | bigint): number {
  return Math.min(Math.max(Number(value), 0), MAX_UINT32);
}
