import { connect, type Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { agent, aiserver, encodeHex } from '@tandem/proto';

/** The body of an append with a heartbeat in it, as official clients send it: in hex. */
export function heartbeatAppend(requestId: string, seqno: number): Uint8Array {
  const message = create(agent.AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } });
  const data = encodeHex(toBinary(agent.AgentClientMessageSchema, message));
  const request = create(aiserver.BidiAppendRequestSchema, {
    data,
    requestId: { requestId },
    appendSeqno: BigInt(seqno),
  });
  return toBinary(aiserver.BidiAppendRequestSchema, request);
}

/** Sends appends one after the other on one connection, with as little code as can be. */
export class AppendClient {
  readonly #socket: Socket;
  readonly #head: string;
  #answered: ((status: number) => void) | undefined;
  #received = '';

  private constructor(socket: Socket, token: string, requestId: string) {
    this.#socket = socket;
    this.#head = [
      'POST /aiserver.v1.BidiService/BidiAppend HTTP/1.1',
      'host: 127.0.0.1',
      `authorization: Bearer ${token}`,
      'content-type: application/proto',
      'connect-protocol-version: 1',
      `x-request-id: ${requestId}`,
      'content-length: ',
    ].join('\r\n');
    socket.on('data', (data: Buffer) => this.#take(data));
  }

  static async connect(port: number, token: string, requestId: string): Promise<AppendClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new AppendClient(socket, token, requestId);
  }

  /** Resolves when the append was answered. @throws Error when it was refused */
  async append(body: Uint8Array): Promise<void> {
    const answered = new Promise<number>((resolve) => {
      this.#answered = resolve;
    });
    this.#socket.write(Buffer.concat([Buffer.from(`${this.#head}${body.length}\r\n\r\n`), body]));
    const status = await answered;
    if (status !== 200) throw new Error(`HTTP ${status} for an append`);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The answer to an append has no body. */
  #take(data: Buffer): void {
    this.#received += data.toString('latin1');
    if (!this.#received.includes('\r\n\r\n')) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#answered?.(status);
  }
}
