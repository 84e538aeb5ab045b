import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Signals } from '../src/ports/signals.ts';
import { pulseSubject, turnKey } from '../src/subject/turn-key.ts';
import type { Opened } from './opened.ts';

/** What every carrier of signals must do while nothing fails. */
export function signalsContract(name: string, open: () => Promise<Opened<Signals>>): void {
  describe(`${name} as signals`, () => {
    let signals: Signals;
    let close: () => Promise<void>;

    beforeAll(async () => {
      ({ port: signals, close } = await open());
    });
    afterAll(() => close());

    function listen(subject: string) {
      const heard: string[] = [];
      const handler = (payload: Uint8Array) => void heard.push(Buffer.from(payload).toString());
      return { heard, subscription: signals.subscribe(subject, handler) };
    }

    it('is connected', () => {
      expect(signals.connected).toBe(true);
    });

    it('brings what is published to each subscriber of the subject, in order', async () => {
      const [subject, other] = [freshSubject(), freshSubject()];
      const [a, b, c] = [listen(subject), listen(subject), listen(other)];
      for (const text of ['1', '2', '']) signals.publish(subject, Buffer.from(text));
      signals.publish(other, Buffer.from('other'));
      await expect
        .poll(() => [a.heard, b.heard, c.heard])
        .toEqual([['1', '2', ''], ['1', '2', ''], ['other']]);
      for (const { subscription } of [a, b, c]) subscription.close();
    });

    it('tells nothing after a subscription was closed', async () => {
      const subject = freshSubject();
      const [a, b] = [listen(subject), listen(subject)];
      a.subscription.close();
      signals.publish(subject, Buffer.from('1'));
      await expect.poll(() => b.heard).toEqual(['1']);
      expect(a.heard).toEqual([]);
      b.subscription.close();
    });
  });
}

function freshSubject(): string {
  return pulseSubject(turnKey(randomUUID(), randomUUID()));
}
