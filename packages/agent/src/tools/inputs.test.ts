import { expect, it } from 'vitest';
import { uint32, wireInt } from './inputs.ts';

it("a tool's number is one that the wire can hold", () => {
  const count = wireInt(1);
  expect(count.safeParse(0x7fffffff).success).toBe(true);
  for (const wrong of [0, 2 ** 31, 1.5, Number.NaN]) expect(count.safeParse(wrong).success).toBe(false);
});

it("a client's number becomes the nearest that a field without a sign can hold", () => {
  expect([-1n, 0n, 7n, 2n ** 32n, 2n ** 63n - 1n].map(uint32)).toEqual([0, 0, 7, 0xffffffff, 0xffffffff]);
});
