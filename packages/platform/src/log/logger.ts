import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { redactText } from './redact-text.ts';
import { redactValue } from './redact-value.ts';

/** The levels, from the most to the least talkative. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields of a log line. Well-known ones: `requestId`, `runId`, `conversationId`, `traceId`, `ownerId`, `err`. */
export type LogFields = Record<string, unknown>;

/** Writes one line: fields, or an error, and a text; or a text alone. */
export interface LogMethod {
  (fields: LogFields | Error, message: string): void;
  (message: string): void;
}

/** A structured log in which secrets and contents do not appear, wherever in fields, texts or errors they stand. */
export interface Logger {
  readonly trace: LogMethod;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  /** Whether lines of this level are written, for fields that are dear to make. */
  isLevelEnabled(level: LogLevel): boolean;
  /** A logger whose lines all have these fields. */
  child(fields: LogFields): Logger;
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  service: string;
  level?: LogLevel;
  /** Values to take out wherever they appear, such as the configuration's secrets; shorter than 8 are passed over. */
  secrets?: readonly (string | undefined)[];
  /** Where lines go; standard output by default, written at once. */
  destination?: DestinationStream;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Makes a service's logger: JSON lines. */
export function createLogger(options: LoggerOptions): Logger {
  const { service, level = 'info', now = Date.now } = options;
  const secrets = (options.secrets ?? []).filter(
    (secret) => secret !== undefined && secret.length >= 8,
  ) as string[];
  const settings = {
    level,
    base: { service, pid: process.pid },
    timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // Errors come described and redacted; pino's own description would be the raw one.
    serializers: { err: (value: unknown) => value },
  };
  const root = options.destination ? pino(settings, options.destination) : pino(settings);
  return wrap(root, secrets);
}

/** A logger that writes nothing, for tests and for defaults. */
export function silentLogger(): Logger {
  return createLogger({ service: 'silent', level: 'silent' });
}

function wrap(target: PinoLogger, secrets: readonly string[]): Logger {
  const method = (level: Exclude<LogLevel, 'silent'>): LogMethod => {
    return (first: LogFields | Error | string, second?: string) => {
      if (!target.isLevelEnabled(level)) return;
      if (typeof first === 'string') target[level](redactText(first, secrets));
      else
        target[level](
          redactFields(first, secrets),
          second === undefined ? undefined : redactText(second, secrets),
        );
    };
  };
  return {
    trace: method('trace'),
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    fatal: method('fatal'),
    isLevelEnabled: (level) => target.isLevelEnabled(level),
    child: (fields) => wrap(target.child(redactFields(fields, secrets)), secrets),
  };
}

function redactFields(fields: LogFields | Error, secrets: readonly string[]): LogFields {
  return redactValue(fields instanceof Error ? { err: fields } : fields, secrets) as LogFields;
}
