export {
  type CheckResult,
  createHealth,
  type Health,
  type HealthFacts,
  type HealthOptions,
  type Probe,
  type Readiness,
} from './health.ts';
