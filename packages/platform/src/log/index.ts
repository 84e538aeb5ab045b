export {
  createLogger,
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type LogMethod,
  silentLogger,
} from './logger.ts';
export { REDACTED, redactText } from './redact-text.ts';
export { redactValue } from './redact-value.ts';
export { isSensitiveKey } from './sensitive-key.ts';
