import type { EffectRunner, TurnFacts } from '@tandem/actor-core';
import type { AgentEffect, AgentResult, ModelCall, Models } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import type { BlobCache, BlobScope } from '../blob-cache/blob-cache.ts';
import type { ModelSlots } from '../model-slots/model-slots.ts';

export interface AgentEffectDeps {
  readonly models: Pick<Models, 'call'>;
  readonly slots: ModelSlots;
  readonly blobs: BlobCache;
}

/** Carries out what turns ask of their process: model calls within the process's slots, and its blob cache. */
export function agentEffects(deps: AgentEffectDeps): EffectRunner<AgentEffect, AgentResult> {
  /** What ends a running call, by turn and call. */
  const calls = new Map<string, AbortController>();
  return {
    run(effect, facts, emit, signal) {
      switch (effect.type) {
        case 'model_call':
          void runCall(deps, calls, { effect, facts, emit, signal });
          return;
        case 'abort_model':
          calls.get(callName(facts, effect.call))?.abort();
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
  readonly effect: { readonly call: number; readonly request: ModelCall };
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
  const { call } = effect;
  const name = callName(facts, call);
  const abort = new AbortController();
  calls.set(name, abort);
  const either = AbortSignal.any([signal, abort.signal]);
  const release = await deps.slots.take(either);
  try {
    if (!release) return;
    for await (const event of deps.models.call(effect.request, either)) {
      if (either.aborted) return;
      emit({ type: 'model_event', call, event });
    }
  } catch (error) {
    if (!either.aborted) emit({ type: 'model_failed', call, error: TandemError.from(error) });
  } finally {
    release?.();
    if (calls.get(name) === abort) calls.delete(name);
  }
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

function callName({ ownerId, generation, requestId }: TurnFacts, call: number): string {
  return JSON.stringify([ownerId, requestId, generation, call]);
}
