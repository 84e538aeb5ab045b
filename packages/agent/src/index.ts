export type * from './model/message.ts';
export type * from './model/port.ts';
export { type AgentLogic, type AgentOptions, createAgent } from './turn/create-agent.ts';
export {
  AGENT_LIMITS,
  type AgentEffect,
  type AgentLimits,
  type AgentLocal,
  type AgentResult,
  type Blob,
  type ServerTools,
} from './turn/effects.ts';
export type { TurnState } from './turn/state.ts';
export type * from './web/port.ts';
