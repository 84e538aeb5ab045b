import {
  InvalidResponseDataError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type SharedV4ProviderMetadata,
  TypeValidationError,
} from '@ai-sdk/provider';
import type { FinishReason, ModelEvent, ProviderOptions, Usage } from '@tandem/agent';
import type { Family } from './family.ts';
import { NO_USAGE, toUsage } from './usage.ts';

type ToolCall = Extract<ModelEvent, { type: 'tool_call' }>;

/** How an answer ended. `fault` is what the provider reported within the stream. */
interface AnswerEnd {
  /** Tool calls that are only known to be whole now. */
  readonly events: readonly ModelEvent[];
  readonly reason: FinishReason;
  readonly usage: Usage;
  readonly fault?: unknown;
}

/** Turns the parts of one answer into our events, and tells truthfully how it ended. */
export interface EventMapper {
  push(part: LanguageModelV4StreamPart): ModelEvent[];
  /** To be called once, when the stream has ended without throwing. */
  end(): AnswerEnd;
}

/** @param doneSeen whether the stream's end marker was seen (chat completions only). */
export function createEventMapper(family: Family, doneSeen: () => boolean): EventMapper {
  const chat = family === 'openai-chat' || family === 'openai-compatible';
  const reasoning = new Map<string, { options: ProviderOptions | undefined; any: boolean }>();
  /** The SDK closes calls when a stream ends, whole or not: a call is passed on when something followed it. */
  let held: ToolCall[] = [];
  let calls = 0;
  let finish: LanguageModelV4FinishReason | undefined;
  let reasonSeen = false;
  let usage = NO_USAGE;
  let fault: unknown;

  const released = (event: ModelEvent): ModelEvent[] => {
    const events = [...held, event];
    held = [];
    return events;
  };
  const block = (id: string, metadata: SharedV4ProviderMetadata | undefined) => {
    const known = reasoning.get(id);
    const merged = { options: mergeOptions(known?.options, metadata), any: known?.any ?? false };
    reasoning.set(id, merged);
    return merged;
  };

  return {
    push(part) {
      switch (part.type) {
        case 'raw':
          reasonSeen ||= chat && hasFinishReason(part.rawValue);
          return [];
        case 'text-delta':
          return part.delta === '' ? [] : released({ type: 'text', text: part.delta });
        case 'reasoning-start':
          block(part.id, part.providerMetadata);
          return [];
        case 'reasoning-delta': {
          const state = block(part.id, part.providerMetadata);
          if (part.delta === '') return [];
          state.any = true;
          return released({ type: 'reasoning', text: part.delta });
        }
        case 'reasoning-end': {
          const { options, any } = block(part.id, part.providerMetadata);
          reasoning.delete(part.id);
          if (!any && options === undefined) return [];
          return released({
            type: 'reasoning_end',
            ...(options === undefined ? {} : { providerOptions: options }),
          });
        }
        case 'tool-input-start':
          return released({ type: 'tool_input_start', id: part.id, name: part.toolName });
        case 'tool-input-delta':
          return part.delta === ''
            ? []
            : released({ type: 'tool_input_delta', id: part.id, delta: part.delta });
        case 'tool-call':
          calls += 1;
          held.push({
            type: 'tool_call',
            id: part.toolCallId,
            name: part.toolName,
            // A call of a tool without parameters may come without a single character of arguments.
            input: part.input.trim() === '' ? '{}' : part.input,
            ...(part.providerMetadata ? { providerOptions: part.providerMetadata } : {}),
          });
          return [];
        case 'error':
          if (!isHarmless(part.error, chat)) fault ??= part.error;
          return [];
        case 'finish':
          finish = part.finishReason;
          usage = toUsage(part.usage);
          return [];
        default:
          return [];
      }
    },

    end() {
      if (fault !== undefined) return { events: [], reason: 'error', usage, fault };
      if (!(chat ? reasonSeen || doneSeen() : isWhole(family, finish)))
        return { events: [], reason: 'interrupted', usage };
      return { events: held, reason: reasonOf(finish, calls), usage };
    },
  };
}

function isWhole(family: Family, finish: LanguageModelV4FinishReason | undefined): boolean {
  if (finish === undefined || finish.unified === 'interrupted') return false;
  // A response of OpenAI has a reason only when it is incomplete.
  const responses = family === 'openai-responses' || family === 'azure-responses';
  const incomplete = responses && finish.raw !== undefined;
  return !incomplete || finish.unified === 'length' || finish.unified === 'content-filter';
}

/** Gemini's words for an answer that it began and could not read itself. */
const MALFORMED = /^(MALFORMED_|UNEXPECTED_TOOL_CALL)/;

/** Whole calls decide, whatever word the provider ends with: some say "stop", "end_turn", "eos" or nothing. */
function reasonOf(finish: LanguageModelV4FinishReason | undefined, calls: number): FinishReason {
  if (finish?.unified === 'length') return 'length';
  if (finish?.unified === 'content-filter') return 'content_filter';
  if (calls > 0) return 'tool_calls';
  return MALFORMED.test(finish?.raw ?? '') ? 'error' : 'stop';
}

function hasFinishReason(chunk: unknown): boolean {
  const choices = (chunk as { choices?: { finish_reason?: unknown }[] } | null)?.choices;
  return Array.isArray(choices) && choices.some((choice) => choice?.finish_reason != null);
}

/** Chunks in which nothing of the answer can have been, and the SDK's own word for a missing finish reason. */
function isHarmless(error: unknown, chat: boolean): boolean {
  if (!chat) return false;
  if (InvalidResponseDataError.isInstance(error)) return true;
  if (!TypeValidationError.isInstance(error)) return false;
  const value = error.value as Record<string, unknown> | null;
  return typeof value === 'object' && value !== null && !('choices' in value) && !('error' in value);
}

function mergeOptions(
  known: ProviderOptions | undefined,
  added: SharedV4ProviderMetadata | undefined,
): ProviderOptions | undefined {
  if (added === undefined) return known;
  const names = new Set([...Object.keys(known ?? {}), ...Object.keys(added)]);
  return Object.fromEntries([...names].map((name) => [name, { ...known?.[name], ...added[name] }]));
}
