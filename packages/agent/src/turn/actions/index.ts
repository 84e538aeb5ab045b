export { actionMessages, showsMessages } from './messages.ts';
export { ACTIONS, opensTurn, ruleOf } from './rules.ts';
