import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';

/** A number from 0 up to, not including, `bound`. */
export type Random = (bound: number) => number;

/** Small, fast and repeatable; no two seeds alike. */
export function seededRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % Math.max(1, bound);
  };
}

/** Bytes with some of them changed, left out, repeated or cut off. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const result = [...bytes];
  for (let count = random(4) + 1; count > 0; count--) {
    const at = random(result.length + 1);
    const kind = random(5);
    if (kind === 0) result[Math.min(at, Math.max(0, result.length - 1))] = random(256);
    else if (kind === 1) result.splice(at, random(4) + 1);
    else if (kind === 2) result.splice(at, 0, random(256), random(256));
    else if (kind === 3) result.splice(at, 0, ...result.slice(at, at + random(20)));
    else result.length = Math.max(1, at);
  }
  return Uint8Array.from(result);
}

/** Changes one field somewhere in a message: another value, none, one more, or another member of a oneof. */
export function mutateFields<M extends Message>(schema: DescMessage, message: M, random: Random): M {
  mutate(reflect(schema, message), random, 0);
  return message;
}

function mutate(message: ReflectMessage, random: Random, depth: number): void {
  const set = message.fields.filter((field) => message.isSet(field));
  const inner = set.filter(({ fieldKind }) => fieldKind === 'message');
  const into = inner[random(inner.length)];
  if (into && random(4) > 0) {
    const value: unknown = message.get(into);
    if (isMessage(value)) {
      mutate(value, random, depth + 1);
      return;
    }
  }
  const field = random(2) === 0 ? set[random(set.length)] : message.fields[random(message.fields.length)];
  if (!field) return;
  if (random(5) === 0) message.clear(field);
  else setField(message, field, random, depth);
}

function setField(message: ReflectMessage, field: DescField, random: Random, depth: number): void {
  switch (field.fieldKind) {
    case 'scalar':
      message.set(field, scalar(field.scalar, random));
      return;
    case 'enum':
      message.set(
        field,
        random(3) === 0 ? random(1000) : (field.enum.values[random(field.enum.values.length)]?.number ?? 0),
      );
      return;
    case 'message':
      // Wrapped types of the library have their own shapes; an unset one is enough.
      if (depth < 6 && !field.message.typeName.startsWith('google.')) {
        message.set(field, randomMessage(field.message, random, depth + 1));
      }
      return;
    case 'list': {
      const list = message.get(field);
      for (let count = random(4); count > 0; count--) {
        if (field.listKind === 'scalar') list.add(scalar(field.scalar, random));
        else if (field.listKind === 'message' && depth < 6 && !field.message.typeName.startsWith('google.')) {
          list.add(randomMessage(field.message, random, depth + 1));
        } else if (field.listKind === 'enum') list.add(random(50));
      }
      return;
    }
    case 'map':
      return;
  }
}

/** A message with a few of its fields set to anything. */
function randomMessage(schema: DescMessage, random: Random, depth: number): ReflectMessage {
  const message = reflect(schema, create(schema));
  for (let count = random(4); count > 0; count--) {
    const field = message.fields[random(message.fields.length)];
    if (field) setField(message, field, random, depth);
  }
  return message;
}

const TEXTS = ['', 'a', 'c1', 'r1', '../../x', '\u0000', '{"a":', 'é'.repeat(50), '<mode>\n', 'test-model'];
const NUMBERS = [0, 1, 2, 3, 5, 100, 0x7fffffff];

/** By the number that the wire's descriptors give to scalar types. */
function scalar(type: number, random: Random): unknown {
  switch (type) {
    case 1:
      return [0, 1.5, -1, Number.MAX_VALUE, Number.NaN][random(5)];
    case 2:
      return [0, 1.5, -1, 3e38, Number.NaN][random(5)];
    case 3:
    case 16:
    case 18:
      return [0n, 1n, -1n, 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n)][random(6)];
    case 4:
    case 6:
      return [0n, 1n, 2n ** 64n - 1n][random(3)];
    case 8:
      return random(2) === 0;
    case 9:
      return TEXTS[random(TEXTS.length)];
    case 12:
      return Uint8Array.from({ length: [0, 1, 32, 33][random(4)] ?? 0 }, () => random(256));
    case 5:
    case 15:
    case 17:
      return random(4) === 0 ? [-1, -random(1000), -0x80000000][random(3)] : NUMBERS[random(NUMBERS.length)];
    default:
      return random(4) === 0 ? 0xffffffff : NUMBERS[random(NUMBERS.length)];
  }
}

function isMessage(value: unknown): value is ReflectMessage {
  return typeof value === 'object' && value !== null && 'fields' in value && 'isSet' in value;
}
