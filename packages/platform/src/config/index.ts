export { ConfigError, type ConfigFault } from './config-error.ts';
export { describeConfig } from './describe-config.ts';
export { parseByteSize } from './parse-byte-size.ts';
export { parseDuration } from './parse-duration.ts';
export { type ReadConfigOptions, readConfig } from './read-config.ts';
export { type ConfigOf, type ConfigShape, foreign, type Setting, secret, setting } from './setting.ts';
export {
  bool,
  byteSize,
  decimal,
  duration,
  integer,
  list,
  oneOf,
  optional,
  port,
  text,
  url,
} from './types.ts';
