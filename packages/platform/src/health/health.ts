import { TandemError } from '@tandem/errors';

/** Facts that a probe tells of what it has seen, such as `{ durable: true }`. They are public: no secrets, no addresses. */
export type HealthFacts = Readonly<Record<string, string | number | boolean>>;

/** Looks whether something works; fails when it does not. The signal fires when nobody waits any more. */
// biome-ignore lint/suspicious/noConfusingVoidType: a probe without facts is an async function without result.
export type Probe = (signal: AbortSignal) => Promise<HealthFacts | void>;

/** What one check came to. */
export interface CheckResult {
  ok: boolean;
  /** How long it took, in milliseconds. */
  ms: number;
  /** Why it failed: an error's reason, never its text. */
  reason?: string;
  facts?: HealthFacts;
}

/** The body of `/readyz`; the status is 200 when ready, else 503. */
export interface Readiness {
  ready: boolean;
  /** Set once the service has begun to end. */
  draining?: true;
  checks: Record<string, CheckResult>;
}

/** Options of {@link createHealth}. */
export interface HealthOptions {
  /** How long a probe may take, in milliseconds; 2,000 by default. */
  timeoutMs?: number;
  /** How long a result counts, in milliseconds, so that whoever asks often costs little; 1,000 by default. */
  maxAgeMs?: number;
  /** Milliseconds, from any origin. */
  now?: () => number;
}

/** The readiness of a service. */
export interface Health {
  /** Adds a check; the service is ready when all are well. */
  add(name: string, probe: Probe): void;
  /** From now on the service is not ready, whatever the checks say. */
  drain(): void;
  /** Runs all checks at once; those who ask meanwhile, or soon after, get the same result. */
  check(): Promise<Readiness>;
}

/** Makes a registry of readiness checks. */
export function createHealth(options: HealthOptions = {}): Health {
  const { timeoutMs = 2000, maxAgeMs = 1000, now = () => performance.now() } = options;
  const probes = new Map<string, Probe>();
  let draining = false;
  let last: { at: number; checks: Promise<Record<string, CheckResult>> } | undefined;

  async function runAll(): Promise<Record<string, CheckResult>> {
    const results = [...probes].map(
      async ([name, probe]) => [name, await runProbe(probe, timeoutMs, now)] as const,
    );
    return Object.fromEntries(await Promise.all(results));
  }

  async function recentChecks(): Promise<Record<string, CheckResult>> {
    if (last && now() - last.at <= maxAgeMs) return last.checks;
    // Counted from the end: checks that take longer than results count must not pile up.
    const checks = runAll().finally(() => {
      if (last?.checks === checks) last.at = now();
    });
    last = { at: Number.POSITIVE_INFINITY, checks };
    return checks;
  }

  return {
    add: (name, probe) => {
      probes.set(name, probe);
      last = undefined;
    },
    drain: () => {
      draining = true;
    },
    check: async () => {
      const checks = await recentChecks();
      const ready = !draining && Object.values(checks).every(({ ok }) => ok);
      return { ready, ...(draining && { draining }), checks };
    },
  };
}

async function runProbe(probe: Probe, timeoutMs: number, now: () => number): Promise<CheckResult> {
  const started = now();
  const controller = new AbortController();
  const timeUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    controller.abort();
    timeUp.reject(new ProbeTimeout());
  }, timeoutMs);
  const ms = () => Math.round(now() - started);
  try {
    const facts = await Promise.race([(async () => probe(controller.signal))(), timeUp.promise]);
    return { ok: true, ms: ms(), ...(facts && { facts }) };
  } catch (error) {
    return {
      ok: false,
      ms: ms(),
      reason: error instanceof ProbeTimeout ? 'timeout' : TandemError.from(error).reason,
    };
  } finally {
    clearTimeout(timer);
  }
}

class ProbeTimeout extends Error {}
