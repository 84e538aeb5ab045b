import type { EventSink } from './play.ts';
import type { ProviderRequest } from './request.ts';
import type { Step } from './script.ts';
import { estimateUsage } from './usage.ts';

type Part = Record<string, unknown>;

/** Speaks Gemini's stream: `data:` lines of whole responses, each with some parts and the usage so far. */
export function googleSink(
  request: ProviderRequest,
  steps: readonly Step[],
  write: (text: string) => void,
): EventSink {
  const usage = estimateUsage(request, steps);
  const prompt = usage.input + usage.cacheRead;
  /** What signs the next call, as the newer models demand it back. */
  let signature: string | undefined;
  const event = (data: unknown) => write(`data: ${JSON.stringify(data)}\r\n\r\n`);
  const response = (parts: readonly Part[], finish?: string) =>
    event({
      candidates: [
        {
          content: { parts, role: 'model' },
          index: 0,
          ...(finish === undefined ? {} : { finishReason: finish }),
        },
      ],
      usageMetadata: {
        promptTokenCount: prompt,
        cachedContentTokenCount: usage.cacheRead,
        totalTokenCount: prompt + usage.output,
        ...(finish === undefined
          ? {}
          : { candidatesTokenCount: usage.output - usage.reasoning, thoughtsTokenCount: usage.reasoning }),
      },
      modelVersion: request.model,
      responseId: 'resp_1',
    });

  return {
    start: () => {},
    ping: () => write(': keep-alive\r\n\r\n'),
    error: ({ type, ...error }) => event({ error: { code: 503, status: 'UNAVAILABLE', ...error } }),
    event,
    text: (text) => response([{ text }]),
    reasoning: (text) => response([{ text, thought: true }]),
    signature: (text) => {
      signature = text;
    },
    redactedThinking: () => {},
    toolCall: ({ id, name, arguments: fragments }) => {
      const args = parsed(fragments.join('') || '{}');
      // A call is sent whole, unless it comes argument by argument and ends in their midst.
      if (args === undefined) return response([{ functionCall: { id, name, willContinue: true } }]);
      const signed = signature === undefined ? {} : { thoughtSignature: signature };
      signature = undefined;
      response([{ functionCall: { id, name, args }, ...signed }]);
    },
    finish: (reason) => response([{ text: '' }], reason ?? 'STOP'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
