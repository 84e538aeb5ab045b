import { create, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { agent } from '@tandem/proto';
import { evolveShell, NEW_SHELL_RUN } from '../tools/shell-run.ts';
import type { Answer, Request } from '../tools/steps.ts';
import type { JobResult } from '../web/port.ts';
import type { Random } from './mutate.ts';

const TEXTS = [
  'a.ts',
  'one\r\ntwo\r\n',
  'old one\nREADY 1\n',
  '---\npid: 7\n---\nold READY\n',
  '\n---\nexit_code: 3\nended_at: now\n---\n',
  'x'.repeat(50_000),
];
const PNG = [0x89, 0x50, 0x4e, 0x47];

/** Some answer to a tool's request: mostly one that fits it, sometimes one that does not. */
export function randomAnswer(request: Request, random: Random): Answer {
  const fits = random(20) > 0;
  switch (request.type) {
    case 'pause':
      return { type: 'paused' };
    case 'job':
      return { type: 'job', result: jobResult(fits ? request.job.type : 'other', random) };
    case 'query': {
      const message = create(agent.InteractionResponseSchema);
      const name = String(request.query.case).replace(/Query$/, 'Response');
      if (fits) setNamed(reflect(agent.InteractionResponseSchema, message), name, random);
      return { type: 'query', result: message.result };
    }
    case 'exec': {
      if (request.exec.case === 'shellStreamArgs' && fits) return { type: 'shell', run: shellRun(random) };
      const message = create(agent.ExecClientMessageSchema);
      const name = fits ? String(request.exec.case).replace(/Args$/, 'Result') : 'lsResult';
      setNamed(reflect(agent.ExecClientMessageSchema, message), name, random);
      return { type: 'exec', message: message.message };
    }
  }
}

function jobResult(type: string, random: Random): JobResult {
  const text = TEXTS[random(TEXTS.length)] ?? '';
  const url = `https://example.org/${random(2)}`;
  const page = { url, status: 200 + random(2), mediaType: 'text/html', text, cut: random(2) === 0 };
  if (type === 'web_fetch' && random(3)) return { type: 'page', page };
  if (type === 'web_search' && random(3)) return { type: 'hits', hits: [{ title: '', url, excerpt: text }] };
  return random(2) ? { type: 'failed', reason: 'why' } : { type: 'page', page };
}

function shellRun(random: Random) {
  let run = NEW_SHELL_RUN;
  while (!run.end) run = evolveShell(run, randomMessage(agent.ShellStreamSchema, random).event);
  return run;
}

/** A message with most of its fields set. */
function randomMessage<Desc extends DescMessage>(schema: Desc, random: Random, depth = 0) {
  const message = create(schema);
  const reflected = reflect(schema, message);
  for (const { fields } of schema.oneofs) {
    // What comes first means success mostly, and has most to it.
    const field = random(2) ? fields[0] : fields[random(fields.length)];
    if (field && random(15) > 0) setField(reflected, field, random, depth);
  }
  for (const field of schema.fields) {
    if (!field.oneof && random(3) > 0) setField(reflected, field, random, depth);
  }
  return message;
}

function setNamed(message: ReflectMessage, name: string, random: Random): void {
  const field = message.fields.find(({ localName }) => localName === name);
  if (!field) throw new Error(`no field ${name}`);
  setField(message, field, random, 0);
}

function setField(message: ReflectMessage, field: DescField, random: Random, depth: number): void {
  const inner = (schema: DescMessage) => reflect(schema, randomMessage(schema, random, depth + 1));
  if (depth > 8) return;
  if (field.fieldKind === 'scalar') message.set(field, scalar(field.scalar, random));
  if (field.fieldKind === 'enum')
    message.set(field, field.enum.values[random(field.enum.values.length)]?.number);
  if (field.fieldKind === 'message') message.set(field, inner(field.message));
  for (let count = random(3); count > 0; count--) {
    if (field.fieldKind === 'list') {
      if (field.listKind === 'message') message.get(field).add(inner(field.message));
      if (field.listKind === 'scalar') message.get(field).add(scalar(field.scalar, random));
    }
    if (field.fieldKind === 'map' && field.mapKind === 'message') {
      message.get(field).set(`/w${count}`, inner(field.message));
    }
  }
}

function scalar(type: ScalarType, random: Random): unknown {
  switch (type) {
    case ScalarType.STRING:
      return TEXTS[random(TEXTS.length)];
    case ScalarType.BOOL:
      return random(4) === 0;
    case ScalarType.BYTES:
      return Uint8Array.from(random(3) ? PNG : [random(256)]);
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return BigInt(random(3_000));
    default:
      return random(4);
  }
}
