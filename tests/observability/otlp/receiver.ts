import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { ExportResponse, readExport } from './schema.ts';

/** A span as a collector would store it. Ids in hex, as W3C has them. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly failed: boolean;
  /** Of the process: `service.name`, and `service.instance.id`, which tells one process from another. */
  readonly service: string;
  readonly instance: string;
}

/** Takes traces as an OpenTelemetry collector does: OTLP by HTTP, as protobuf. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Where to send traces. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** All that came, in JSON: to look for what must not be there. */
  readonly text: string;
  /** What was refused, and why. */
  readonly faults: readonly unknown[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const faults: unknown[] = [];

  async function take(request: IncomingMessage): Promise<void> {
    const body = await buffer(request);
    if (request.url !== '/v1/traces') throw new Error(`posted to ${request.url}`);
    if (request.headers['content-type'] !== 'application/x-protobuf')
      throw new Error(`sent as ${request.headers['content-type']}`);
    const message = readExport(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    texts.push(JSON.stringify(message));
    spans.push(...spansOf(message as ExportJson));
  }

  const server = createServer((request, response) => {
    take(request).then(
      () => {
        response.setHeader('content-type', 'application/x-protobuf');
        response.end(toBinary(ExportResponse, create(ExportResponse)));
      },
      (error: unknown) => {
        faults.push(error);
        response.writeHead(400).end();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    faults,
    get text() {
      return texts.join('\n');
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface AnyJson {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly AnyJson[] };
}
type AttributesJson = readonly { readonly key: string; readonly value?: AnyJson }[];
interface SpanJson {
  readonly name?: string;
  readonly kind?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly attributes?: AttributesJson;
  readonly links?: readonly { readonly traceId?: string; readonly spanId?: string }[];
  readonly status?: { readonly code?: string };
}
interface ExportJson {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: AttributesJson };
    readonly scopeSpans?: readonly { readonly spans?: readonly SpanJson[] }[];
  }[];
}

function spansOf({ resourceSpans = [] }: ExportJson): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const of = attributesOf(resource?.attributes);
    const process = { service: String(of['service.name']), instance: String(of['service.instance.id']) };
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => ({ ...spanOf(span), ...process })));
  });
}

function spanOf(span: SpanJson): Omit<ReceivedSpan, 'service' | 'instance'> {
  return {
    name: span.name ?? '',
    kind: span.kind ?? '',
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId: hex(traceId), spanId: hex(spanId) })),
    attributes: attributesOf(span.attributes),
    start: BigInt(span.startTimeUnixNano ?? 0),
    end: BigInt(span.endTimeUnixNano ?? 0),
    failed: span.status?.code === 'STATUS_CODE_ERROR',
  };
}

function attributesOf(attributes: AttributesJson = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value && plain(value)]));
}

function plain(value: AnyJson): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

function hex(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('hex');
}
