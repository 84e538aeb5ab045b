export { ConfigError, type ConfigFault } from './config-error.ts';
export { describeConfig } from './describe-config.ts';
export * as kind from './kinds.ts';
export { parseByteSize } from './parse-byte-size.ts';
export { parseDuration } from './parse-duration.ts';
export { type ReadConfigOptions, readConfig } from './read-config.ts';
export { type ConfigOf, type ConfigShape, foreign, type Setting, secret, setting } from './setting.ts';
export {
  describeSettings,
  type HelpSection,
  type SettingDescription,
  sectionHelp,
  settingsHelp,
} from './settings-help.ts';
export { logLevelSetting, tracingSettings, usersSettings } from './shared-settings.ts';
