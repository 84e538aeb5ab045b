import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ALICE_KEY } from '../testing/gateway-fixture.ts';
import { APPEND_PATH, appendBody } from '../testing/http-client.ts';
import { closeGateways, start } from '../testing/running-gateways.ts';

afterEach(closeGateways);

it('bodies that come with their heads, behind them, in pieces and in a row are the same', async () => {
  const { url, actor } = await start();
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'connect');
  const answers = (count: number) =>
    expect.poll(() => received.match(/HTTP\/1.1 200 OK/g)?.length ?? received).toBe(count);
  const request = (seqno: number) => {
    const body = Buffer.from(appendBody('r1', seqno));
    const head = [
      `POST ${APPEND_PATH} HTTP/1.1`,
      'host: 127.0.0.1',
      `authorization: Bearer ${ALICE_KEY}`,
      'content-type: application/proto',
      `content-length: ${body.length}`,
    ];
    return { head: Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body };
  };
  const whole = ({ head, body }: ReturnType<typeof request>) => Buffer.concat([head, body]);

  socket.write(whole(request(0)));
  await answers(1);
  const late = request(1);
  socket.write(late.head);
  socket.write(late.body.subarray(0, 5));
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(late.body.subarray(5));
  await answers(2);
  socket.write(Buffer.concat([2, 3, 4].map((seqno) => whole(request(seqno)))));
  await answers(5);
  socket.destroy();
  const stored = (await actor('r1').commands()).map((kind) => kind.case === 'append' && kind.value.seqno);
  expect(stored.sort()).toEqual([0n, 1n, 2n, 3n, 4n]);
});
