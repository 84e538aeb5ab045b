export { type AdminDeps, adminApp } from './admin/admin-app.ts';
export { catalogueSettings, DEMO_MODEL, isOpenAi } from './catalogue/environment.ts';
export { listModels, type ModelListing, modelListingSchema } from './catalogue/model-listing.ts';
export { CatalogueError, type CatalogueSource, readCatalogue } from './catalogue/read-catalogue.ts';
export {
  type Catalogue,
  type CatalogueInput,
  type CatalogueModel,
  catalogueSchema,
  type Deployment,
  type SecretReference,
  secretReferenceSchema,
} from './catalogue/schema.ts';
export { ConfigError, type ConfigFault } from './config/config-error.ts';
export * as kind from './config/kinds.ts';
export { parseByteSize, parseDuration } from './config/parse-measure.ts';
export { type ReadConfigOptions, readConfig } from './config/read-config.ts';
export { type ConfigOf, type ConfigShape, foreign, type Setting, secret, setting } from './config/setting.ts';
export {
  describeConfig,
  describeSettings,
  type HelpSection,
  type SettingDescription,
  sectionHelp,
  settingsHelp,
} from './config/settings-help.ts';
export { logLevelSetting, tracingSettings, usersSettings } from './config/shared-settings.ts';
export {
  type CheckResult,
  createHealth,
  type Health,
  type HealthFacts,
  type HealthOptions,
  type Probe,
  type Readiness,
} from './health/health.ts';
export {
  createLogger,
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type LogMethod,
  silentLogger,
} from './log/logger.ts';
export { REDACTED, redactText } from './log/redact-text.ts';
export { redactValue } from './log/redact-value.ts';
export { isSensitiveKey } from './log/sensitive-key.ts';
export { type Labels, type LabelValues, OTHER } from './metrics/bounded-labels.ts';
export {
  type CounterMetric,
  createMetrics,
  type GaugeMetric,
  type HistogramMetric,
  LATENCY_BUCKETS,
  type MetricOptions,
  type Metrics,
  type MetricsOptions,
} from './metrics/metrics.ts';
export {
  createShutdown,
  type ProcessPort,
  type Shutdown,
  type ShutdownHook,
  type ShutdownOptions,
  type UncaughtKind,
} from './shutdown/shutdown.ts';
export {
  issueRefusedToken,
  issueToken,
  type TokenSubject,
  type TokenTime,
  type VerifiedToken,
  verifyToken,
} from './tokens/access-token.ts';
export { generateKey, hashKey, isWellFormedKey } from './tokens/api-key.ts';
export { createKeyRing, type KeyRing, type RingKey } from './tokens/key-ring.ts';
export { extractTrace, injectTrace, traceIdOf } from './tracing/propagation.ts';
export { startTracing, type Tracing, type TracingOptions } from './tracing/start-tracing.ts';
export type { Limits } from './users/limits.ts';
export {
  type LiveUserDirectory,
  type LoadUsersOptions,
  loadUsers,
  type ReloadOutcome,
  SINGLE_USER_ID,
  singleUser,
} from './users/load-users.ts';
export {
  createUserDirectory,
  type KeyOwner,
  type UserDirectory,
  type UserPolicies,
} from './users/user-directory.ts';
export { mayUse, policyOf, type UserPolicy } from './users/user-policy.ts';
export {
  type ConfiguredGroup,
  type ConfiguredUser,
  type ConfiguredUsers,
  findConflicts,
  parseUsersFile,
} from './users/users-file.ts';
