import { create } from '@bufbuild/protobuf';
import { turnKey } from '@tandem/actor-core';
import { TandemError, toEndStreamError } from '@tandem/errors';
import { Reader, type ReaderTimings, storeAppend } from '@tandem/gateway';
import { encodeEndStream, tandem } from '@tandem/proto';
import type { Process } from '../world/process.ts';
import type { Ports } from '../world/world.ts';
import { type Receiver, type Socket, SocketSink } from './socket.ts';

/** Who asks, and for what: the headers of both channels. */
export interface RequestNames {
  readonly owner: string;
  readonly requestId: string;
  readonly originalRequestId: string;
  readonly blobKey: Uint8Array;
}

/** A gateway's process: the real append path and reader behind sockets of the simulation. */
export class SimGateway {
  readonly process: Process;
  readonly #ports: Ports;
  readonly #timings: ReaderTimings;
  readonly #readers = new Set<Reader>();
  readonly #appends = new Set<Promise<void>>();
  #draining = false;

  constructor(process: Process, ports: Ports, timings: ReaderTimings) {
    this.process = process;
    this.#ports = ports;
    this.#timings = timings;
  }

  get accepts(): boolean {
    return !this.#draining;
  }

  /** BidiAppend. @throws TandemError */
  append(names: RequestNames, seqno: number, message: Uint8Array): Promise<void> {
    const { log, dispatcher } = this.#ports;
    const { clock, entropy } = this.process;
    const { owner, requestId, originalRequestId, blobKey } = names;
    const info =
      seqno === 0
        ? create(tandem.RequestInfoSchema, { ownerId: owner, originalRequestId, blobEncryptionKey: blobKey })
        : undefined;
    const deps = { log, dispatcher, clock, entropy, storeMs: 30_000 };
    const stored = storeAppend(deps, turnKey(owner, originalRequestId), { requestId, seqno, message }, info);
    const settled = stored.catch(() => {}).finally(() => this.#appends.delete(settled));
    this.#appends.add(settled);
    return stored;
  }

  /** RunSSE. */
  open(names: RequestNames, received: number, socket: Socket, receiver: Receiver): void {
    const sink = new SocketSink(socket, receiver);
    if (this.#draining) {
      sink.write(encodeEndStream({ error: toEndStreamError(new TandemError('draining')) }));
      void sink.end(false);
      return;
    }
    const { log, dispatcher, signals } = this.#ports;
    const { clock, entropy } = this.process;
    const reader = new Reader(
      { log, dispatcher, signals, clock, entropy, timings: this.#timings },
      {
        key: turnKey(names.owner, names.originalRequestId),
        requestId: names.requestId,
        received,
        acceptsGzip: false,
        trusted: true,
      },
      sink,
    );
    this.#readers.add(reader);
    void reader.done.then(() => this.#readers.delete(reader));
    socket.onClientGone(() => reader.clientClosed());
    reader.start();
  }

  /** As on SIGTERM: ends the streams, lets the appends finish. */
  async drain(): Promise<void> {
    this.#draining = true;
    await Promise.all([...this.#readers].map((reader) => reader.drain()));
    await Promise.all(this.#appends);
  }
}
