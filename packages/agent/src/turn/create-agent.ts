import type { TurnLogic } from '@tandem/actor-core';
import { decide } from './decide.ts';
import {
  AGENT_LIMITS,
  type AgentConfig,
  type AgentEffect,
  type AgentLimits,
  type AgentLocal,
  type AgentResult,
  type ServerTools,
} from './effects.ts';
import { evolve } from './evolve.ts';
import { createState, type TurnState } from './state.ts';
import { Step } from './step.ts';

export interface AgentOptions {
  /** Only asked what is known of a model; calls are effects. */
  readonly models: AgentConfig['models'];
  readonly limits?: Partial<AgentLimits>;
  /** Nothing by default. */
  readonly serverTools?: Partial<ServerTools>;
}

export type AgentLogic = TurnLogic<TurnState, AgentEffect, AgentResult, AgentLocal>;

/** What a turn of the agent does. */
export function createAgent({ models, limits, serverTools }: AgentOptions): AgentLogic {
  const config: AgentConfig = {
    models,
    limits: { ...AGENT_LIMITS, ...limits },
    serverTools: { webFetch: false, webSearch: false, ...serverTools },
  };
  return {
    create: (facts) => createState(facts, config.serverTools),
    evolve,
    decide(state, input, now, next) {
      const step = new Step(config, evolve, state, now, next);
      decide(step, input);
      return step.decision();
    },
  };
}
