import { connect, type Socket } from 'node:net';
import { appendCall, encodeMessage } from '@tandem/client/wire';
import { rawRequest } from './raw-request.ts';

const HEARTBEAT = encodeMessage({ message: { case: 'clientHeartbeat', value: {} } });

/**
 * Sends heartbeats one after the other on one connection: the calls of the client's package, on a transport with as little code as can
 * be, so that what is measured is the server's.
 */
export class AppendClient {
  readonly #socket: Socket;
  readonly #token: string;
  readonly #requestId: string;
  #answered: ((status: number) => void) | undefined;
  #received = '';

  private constructor(socket: Socket, token: string, requestId: string) {
    this.#socket = socket;
    this.#token = token;
    this.#requestId = requestId;
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
  async append(seqno: number): Promise<void> {
    const answered = new Promise<number>((resolve) => {
      this.#answered = resolve;
    });
    const names = { requestId: this.#requestId, originalRequestId: this.#requestId };
    this.#socket.write(rawRequest(appendCall(this.#token, names, seqno, HEARTBEAT)));
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
