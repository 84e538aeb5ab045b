import type { EffectRunner, TurnFacts } from '@tandem/actor-core';
import type { AgentEffect, AgentResult, ModelCall, Web } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import type { BlobCache, BlobScope } from '../blob-cache/blob-cache.ts';
import type { AdmittedCall, CallGate } from '../limits/call-gate.ts';
import type { ModelSlots } from '../model-slots/model-slots.ts';
import type { TurnModels } from '../tracing/model-calls.ts';
import { runJob } from './web.ts';

export interface AgentEffectDeps {
  readonly models: TurnModels;
  readonly slots: ModelSlots;
  readonly blobs: BlobCache;
  /** Says which calls may be made, and counts them. */
  readonly gate: CallGate;
  readonly web: Web;
}

/** Carries out what turns ask of their process: model calls within the process's slots, and its blob cache. */
export function agentEffects(deps: AgentEffectDeps): EffectRunner<AgentEffect, AgentResult> {
  /** What ends a running call, by turn and call. */
  const calls = new Map<string, AbortController>();
  const jobs = new Map<string, AbortController>();
  return {
    run(effect, facts, emit, signal) {
      switch (effect.type) {
        case 'model_call':
          void runCall(deps, calls, { effect, facts, emit, signal });
          return;
        case 'abort_model':
          calls.get(callName(facts, effect.call))?.abort();
          return;
        case 'run_job': {
          const { name, job } = effect;
          const key = jobName(facts, name);
          const abort = new AbortController();
          jobs.set(key, abort);
          const either = AbortSignal.any([signal, abort.signal]);
          void runJob(deps.web, job, either).then((result) => {
            if (jobs.get(key) === abort) jobs.delete(key);
            if (!either.aborted) emit({ type: 'job_done', name, result });
          });
          return;
        }
        case 'abort_job':
          jobs.get(jobName(facts, effect.name))?.abort();
          return;
        case 'load_blobs':
          void loadBlobs(deps.blobs, scopeOf(facts), effect.ids, emit);
          return;
        case 'cache_blobs':
          void deps.blobs.put(scopeOf(facts), effect.blobs);
          return;
      }
    },
  };
}

interface CallRun {
  readonly effect: { readonly call: number; readonly request: ModelCall; readonly subagent: boolean };
  readonly facts: TurnFacts;
  readonly emit: (result: AgentResult) => void;
  readonly signal: AbortSignal;
}

async function runCall(
  deps: AgentEffectDeps,
  calls: Map<string, AbortController>,
  run: CallRun,
): Promise<void> {
  const { effect, facts, emit, signal } = run;
  const { call, request, subagent } = effect;
  const name = callName(facts, call);
  const abort = new AbortController();
  calls.set(name, abort);
  const either = AbortSignal.any([signal, abort.signal]);
  let admitted: AdmittedCall | undefined;
  let release: (() => void) | undefined;
  try {
    admitted = await deps.gate.admit({ facts, call, request, subagent, turn: signal });
    release = await deps.slots.take(either);
    if (!release) return;
    if (admitted.notice && showsNotices(facts)) emit({ type: 'notice', text: `${admitted.notice}\n\n` });
    admitted.meter.begin();
    for await (const event of deps.models.call(request, either, facts)) {
      admitted.meter.event(event);
      if (either.aborted) return;
      emit({ type: 'model_event', call, event });
    }
  } catch (error) {
    if (either.aborted) return;
    admitted?.meter.failed();
    emit({ type: 'model_failed', call, error: TandemError.from(error) });
  } finally {
    admitted?.close();
    release?.();
    if (calls.get(name) === abort) calls.delete(name);
  }
}

/** Programs take all text for the model's answer. */
function showsNotices({ info }: TurnFacts): boolean {
  return info.clientType !== 'sdk';
}

async function loadBlobs(
  blobs: BlobCache,
  scope: BlobScope,
  ids: readonly string[],
  emit: (result: AgentResult) => void,
): Promise<void> {
  const found = await blobs.get(scope, ids);
  emit({ type: 'blobs_loaded', found, missing: ids.filter((id) => !found.has(id)) });
}

function scopeOf({ ownerId, info }: TurnFacts): BlobScope {
  return { ownerId, key: info.blobEncryptionKey };
}

function jobName({ ownerId, generation, requestId }: TurnFacts, name: string): string {
  return JSON.stringify([ownerId, requestId, generation, name]);
}

function callName({ ownerId, generation, requestId }: TurnFacts, call: number): string {
  return JSON.stringify([ownerId, requestId, generation, call]);
}
