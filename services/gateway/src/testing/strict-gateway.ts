import type { FakeActor } from './fake-actor.ts';
import { type GatewayFixture, startGateway } from './gateway-fixture.ts';
import { append, type OpenStream, openStream } from './http-client.ts';

/**
 * A gateway with strict limits, for a file of bad input. Somebody else's stream is open on it meanwhile, which must not
 * notice anything, and nothing may be stored for anybody else.
 */
export class StrictGateway {
  #parts: { fixture: GatewayFixture; bystander: OpenStream; turn: FakeActor } | undefined;

  get fixture(): GatewayFixture {
    return this.#opened.fixture;
  }

  async open(): Promise<void> {
    const fixture = await startGateway({
      env: {
        TANDEM_MAX_MESSAGE: '1MiB',
        TANDEM_BODY_TIMEOUT: '1s',
        TANDEM_HEADERS_TIMEOUT: '500ms',
        TANDEM_MAX_BODY_BYTES: '3MiB',
        TANDEM_MAX_OWNER_BODY_BYTES: '3MiB',
        TANDEM_BODY_ROOM_WAIT: '200ms',
      },
    });
    const bystander = await openStream(fixture.url, 'bystander');
    const turn = fixture.actor('bystander');
    this.#parts = { fixture, bystander, turn };
    await turn.open('bystander');
  }

  /** Ends the other's stream. @returns what it got, how its append was answered, and the subjects of others that hold something */
  async finish(): Promise<{ texts: string[]; ended: boolean; status: number; others: string[] }> {
    const { fixture, bystander, turn } = this.#opened;
    await turn.texts('undisturbed');
    await turn.end();
    const ended = await bystander.over;
    const { status } = await append(fixture.url, 'bystander', 7);
    const others = fixture.log.subjects().filter((subject) => !subject.endsWith('.bystander'));
    return { texts: bystander.client.texts, ended, status, others };
  }

  async close(): Promise<void> {
    await this.#parts?.fixture.gateway.close();
  }

  get #opened() {
    if (!this.#parts) throw new Error('the gateway is not open');
    return this.#parts;
  }
}

/** What `finish` gives when all is well. */
export const UNDISTURBED = { texts: ['undisturbed'], ended: true, status: 200, others: [] };
