import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutLine, OUTPUT_CHARS } from './cut-text.ts';
import { imagePart, imageType, MAX_IMAGE_BYTES } from './image-type.ts';
import { uint32, wireInt } from './inputs.ts';
import { exec, LOOK, NOT_UNDERSTOOD, notAllowed } from './steps.ts';
import { defineTool, type Outcome, text } from './tool.ts';

const DEFAULT_LINES = 2_000;

const schema = z.strictObject({
  path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
  offset: wireInt(1).optional().describe('The first line to read, counted from 1. Default: the first.'),
  limit: wireInt(1).optional().describe(`How many lines to read. Default: ${DEFAULT_LINES}.`),
});
type Args = z.infer<typeof schema>;

export const readTool = defineTool({
  name: 'read_file',
  kind: 'readToolCall',
  access: 'read',
  description:
    'Reads a file. Each line comes with its number and a bar before it, which are not part of the file. Images are shown as images. ' +
    'Of a long file, read the part that you need.',
  schema,
  files: ({ path }) => [path],
  shownArgs: ({ path, offset, limit }) => ({ path, offset, limit, includeLineNumbers: true }),
  shownFailure: (errorMessage) => ({ result: { case: 'error', value: { errorMessage } } }),
  *run(args, { callId }) {
    const { path, offset, limit = DEFAULT_LINES } = args;
    const read = yield* exec('readArgs', { path, offset, limit, toolCallId: callId }, LOOK);
    if (read.case !== 'success') return { failure: readFailure(read) };
    const { output } = read.value;
    return output.case === 'data'
      ? image(read.value, output.value)
      : lines(args, read.value, output.value ?? '');
  },
});

/** Why a client did not read a file. */
export function readFailure(result: agent.ReadResult['result']): string {
  switch (result.case) {
    case 'fileNotFound':
      return `There is no file ${result.value.path}.`;
    case 'permissionDenied':
      return `${result.value.path} may not be read.`;
    case 'invalidFile':
      return `${result.value.path} can't be read as text or image: ${result.value.reason}`;
    case 'rejected':
      return notAllowed(result.value.reason);
    case 'error':
      return `${result.value.path} could not be read: ${result.value.error}`;
    default:
      return NOT_UNDERSTOOD;
  }
}

function image({ path, fileSize }: agent.ReadSuccess, data: Uint8Array): Outcome<'readToolCall'> {
  const mediaType = imageType(data);
  if (!mediaType) return { failure: `${path} is neither text nor an image.` };
  if (data.length > MAX_IMAGE_BYTES) {
    const size = `${data.length} bytes, more than can be shown (${MAX_IMAGE_BYTES})`;
    return { failure: `${path} is an image of ${size}.` };
  }
  const value = { output: { case: 'data', value: data }, path, fileSize: uint32(fileSize) } as const;
  return {
    result: { result: { case: 'success', value } },
    output: { type: 'content', value: [imagePart(data, mediaType)] },
  };
}

function lines(args: Args, read: agent.ReadSuccess, content: string): Outcome<'readToolCall'> {
  const { from, lines, total } = range(args, read, content);
  const { plain, numbered, count, cut } = shownLines(lines, from, total);
  const value = {
    output: { case: 'content', value: plain },
    isEmpty: total === 0,
    exceededLimit: cut,
    totalLines: uint32(total),
    fileSize: uint32(read.fileSize),
    path: read.path,
    readRange: lines.length > 0 ? { startLine: from, endLine: uint32(from + count - 1) } : undefined,
  } as const;
  return { result: { result: { case: 'success', value } }, output: text(numbered) };
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
