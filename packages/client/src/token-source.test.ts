import { expect, test } from 'vitest';
import { ManualClock } from './testing/manual-clock.ts';
import { tokenSource } from './token-source.ts';

const jwt = (exp: number) => `x.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;

test('shares one fetch, and fetches again when half of the life is over', async () => {
  const clock = new ManualClock();
  let fetches = 0;
  const token = tokenSource(async () => {
    fetches += 1;
    return jwt(clock.now() / 1000 + 100);
  }, clock);
  const [a, b] = await Promise.all([token(), token()]);
  expect(a).toBe(b);
  clock.advance(49_000);
  expect(await token()).toBe(a);
  clock.advance(1_000);
  expect(await token()).not.toBe(a);
  expect(fetches).toBe(2);
});

test('a failed fetch is not remembered', async () => {
  let fetches = 0;
  const token = tokenSource(async () => {
    fetches += 1;
    if (fetches === 1) throw new Error('no');
    return 'opaque';
  }, new ManualClock());
  await expect(token()).rejects.toThrow('no');
  expect(await token()).toBe('opaque');
  expect(await token()).toBe('opaque');
  expect(fetches).toBe(2);
});
