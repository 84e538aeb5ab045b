import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, type DescMessage, fromBinary, toJson } from '@bufbuild/protobuf';
import { type DescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** OTLP's own schema; see the README beside this file. */
const schema = fromBinary(FileDescriptorSetSchema, readFileSync(join(import.meta.dirname, 'schema.binpb')));
for (const { messageType } of schema.file) messageType.forEach(nameFields);
const registry = createFileRegistry(schema);

const ExportRequest = messageOf('ExportTraceServiceRequest');
export const ExportResponse = messageOf('ExportTraceServiceResponse');

/** The JSON form of what a service sent; ids and other bytes in Base64. @throws Error when it is no such message */
export function readExport(body: Uint8Array): unknown {
  const message = fromBinary(ExportRequest, body);
  const all = JSON.stringify(message, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  if (all.includes('"$unknown"')) throw new Error('the message has fields that the schema does not know');
  return toJson(ExportRequest, message);
}

function messageOf(name: string): DescMessage {
  const found = registry.getMessage(`opentelemetry.proto.collector.trace.v1.${name}`);
  if (!found) throw new Error(`the schema has no ${name}`);
  return found;
}

/** Compilers leave out names in JSON that follow from the fields' own. */
function nameFields(message: DescriptorProto): void {
  for (const field of message.field) {
    field.jsonName ||= field.name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  }
  message.nestedType.forEach(nameFields);
}
