export * as agent from '../gen/agent.js';
export * as aiserver from '../gen/aiserver.js';
export * as tandem from '../gen/tandem.js';
