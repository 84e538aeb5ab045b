import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutLine, OUTPUT_CHARS } from './cut-text.ts';
import { base64, imageType, MAX_IMAGE_BYTES } from './image-type.ts';
import { type Answer, defineTool, errorText, type Next, QUICK, type ShownTool, text } from './tool.ts';
import { uint32, wireInt } from './wire-numbers.ts';

const DEFAULT_LINES = 2_000;

const schema = z.strictObject({
  path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
  offset: wireInt(1).optional().describe('The first line to read, counted from 1. Default: the first.'),
  limit: wireInt(1).optional().describe(`How many lines to read. Default: ${DEFAULT_LINES}.`),
});
type Args = z.infer<typeof schema>;

export const readTool = defineTool<Args>({
  name: 'read_file',
  kind: 'readToolCall',
  access: 'read',
  description:
    'Reads a file. Each line comes with its number and a bar before it, which are not part of the file. Images are shown as images. ' +
    'Of a long file, read the part that you need.',
  schema,
  files: ({ path }) => [path],
  show: (args) => ({ case: 'readToolCall', value: { args: shownArgs(args) } }),
  refuse,
  next(args, [answer], { callId }) {
    if (answer) return { done: result(args, answer) };
    const { path, offset, limit = DEFAULT_LINES } = args;
    return {
      ask: {
        type: 'exec',
        exec: { case: 'readArgs', value: { path, offset, limit, toolCallId: callId } },
        deadline: QUICK,
        repeatable: true,
      },
    };
  },
});

function result(args: Args, answer: Answer): Extract<Next, { done: unknown }>['done'] {
  const read = readAnswer(answer);
  if (typeof read === 'string') return { shown: refuse(args, read), output: errorText(read) };
  const { output } = read;
  if (output.case === 'data') return imageResult(args, read, output.value);
  const { from, lines, total } = range(args, read, output.value ?? '');
  const shown = shownLines(lines, from, total);
  return {
    shown: {
      case: 'readToolCall',
      value: {
        args: shownArgs(args),
        result: {
          result: {
            case: 'success',
            value: {
              output: { case: 'content', value: shown.plain },
              isEmpty: total === 0,
              exceededLimit: shown.cut,
              totalLines: uint32(total),
              fileSize: uint32(read.fileSize),
              path: read.path,
              readRange:
                lines.length > 0 ? { startLine: from, endLine: uint32(from + shown.count - 1) } : undefined,
            },
          },
        },
      },
    },
    output: text(shown.numbered),
  };
}

/** What a read brought, or why it brought nothing. Other tools read files too. */
export function readAnswer(answer: Answer): agent.ReadSuccess | string {
  const message = answer.type === 'exec' ? answer.message : undefined;
  if (message?.case !== 'readResult') return 'The client gave an answer that is not understood.';
  const { result } = message.value;
  switch (result.case) {
    case 'success':
      return result.value;
    case 'fileNotFound':
      return `There is no file ${result.value.path}.`;
    case 'permissionDenied':
      return `${result.value.path} may not be read.`;
    case 'invalidFile':
      return `${result.value.path} can't be read as text or image: ${result.value.reason}`;
    case 'rejected':
      return `The user did not allow it. ${result.value.reason}`.trim();
    case 'error':
      return `${result.value.path} could not be read: ${result.value.error}`;
    default:
      return 'The client gave an answer that is not understood.';
  }
}

/** Clients give small files whole, whatever range was asked for. */
function range(args: Args, read: agent.ReadSuccess, content: string) {
  const all = content === '' ? [] : content.replace(/\r?\n$/, '').split(/\r?\n/);
  const first = args.offset ?? 1;
  const limit = args.limit ?? DEFAULT_LINES;
  if (read.rangeApplied) {
    // Clients count what follows the last line end as a line, too. Fewer lines than asked for are the last ones.
    const total = all.length < limit ? first - 1 + all.length : read.totalLines;
    return { from: first, lines: all.slice(0, limit), total };
  }
  return { from: first, lines: all.slice(first - 1, first - 1 + limit), total: all.length };
}

function shownLines(lines: readonly string[], from: number, total: number) {
  if (total === 0) return { numbered: 'The file is empty.', plain: '', count: 0, cut: false };
  if (lines.length === 0) {
    const numbered = `There is no line ${from}: the file has ${total} lines.`;
    return { numbered, plain: '', count: 0, cut: false };
  }
  const numbered: string[] = [];
  let size = 0;
  for (const [index, line] of lines.entries()) {
    const entry = `${String(from + index).padStart(6)}|${cutLine(line)}`;
    size += entry.length + 1;
    if (size > OUTPUT_CHARS && numbered.length > 0) break;
    numbered.push(entry);
  }
  const count = numbered.length;
  const last = from + count - 1;
  const cut = count < lines.length;
  if (last < total)
    numbered.push(`[Lines ${last + 1} to ${total} are not shown; read on with offset ${last + 1}.]`);
  return { numbered: numbered.join('\n'), plain: lines.slice(0, count).join('\n'), count, cut };
}

function imageResult(args: Args, read: agent.ReadSuccess, data: Uint8Array) {
  const mediaType = imageType(data);
  if (!mediaType) {
    const reason = `${read.path} is neither text nor an image.`;
    return { shown: refuse(args, reason), output: errorText(reason) };
  }
  if (data.length > MAX_IMAGE_BYTES) {
    const reason = `${read.path} is an image of ${data.length} bytes, more than can be shown (${MAX_IMAGE_BYTES}).`;
    return { shown: refuse(args, reason), output: errorText(reason) };
  }
  const shown: ShownTool = {
    case: 'readToolCall',
    value: {
      args: shownArgs(args),
      result: {
        result: {
          case: 'success',
          value: { output: { case: 'data', value: data }, path: read.path, fileSize: uint32(read.fileSize) },
        },
      },
    },
  };
  return {
    shown,
    output: { type: 'content', value: [{ type: 'media', data: base64(data), mediaType }] } as const,
  };
}

function shownArgs({ path, offset, limit }: Args) {
  return { path, offset, limit, includeLineNumbers: true };
}

function refuse(args: Args, errorMessage: string): ShownTool {
  return {
    case: 'readToolCall',
    value: { args: shownArgs(args), result: { result: { case: 'error', value: { errorMessage } } } },
  };
}
