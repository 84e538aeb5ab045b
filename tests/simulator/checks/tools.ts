import { journalSubject, turnKey } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import type { TurnRecord } from '../clients/attempt-record.ts';
import type { Exchange, ToldCall } from '../model/script.ts';
import { callName, callNameIn, hasEffect } from '../model/tool-plan.ts';
import { turnName } from './commands.ts';
import { type Generation, messageOf } from './journals.ts';
import { isStale } from './stale.ts';
import { exchangeIn } from './transcripts.ts';
import type { Check } from './violation.ts';

/** What can't be undone is asked for once a generation, and done no more often than it was asked for. */
export const effectsHappenOnce: Check = ({ cast, world }, { generations }, report) => {
  for (const turn of cast.turns) {
    const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    const asked = own.map(effectsAskedBy);
    for (const name of namesOf(turn, hasEffect)) {
      for (const [index, names] of asked.entries()) {
        const times = names.filter((one) => one === name).length;
        if (times > 1)
          report(`${turnName(turn)}: generation ${own[index]?.number} asks ${times} times for ${name}`);
      }
      const times = turn.effects.filter((effect) => effect.name === name).length;
      const generationsThatAsked = asked.filter((names) => names.includes(name)).length;
      if (times > 0) world.history.count('measured: an effect');
      if (times > generationsThatAsked)
        report(`${turnName(turn)}: ${name} was done ${times} times, asked for by ${generationsThatAsked}`);
    }
  }
};

/** A turn that ended well did all that its model asked for, or told the model what it does not know of. */
export const toolsAreDone: Check = (run, logs, report) => {
  const { cast, world } = run;
  for (const turn of cast.turns) {
    if (turn.status !== 'finished' || !turn.checkpoint || isStale(run, logs, turn)) continue;
    const exchange = exchangeIn(turn.checkpoint, turn);
    const say = (what: string) => report(`${turnName(turn)} ended well, but ${what}`);
    if (exchange?.batches.length !== turn.batches.length) {
      say(`the last checkpoint has ${exchange?.batches.length} of ${turn.batches.length} batches of calls`);
      continue;
    }
    for (const [number, { tools }] of turn.batches.entries()) {
      for (const [index, tool] of tools.entries()) {
        const name = callName(turn.script, number, index);
        const call = exchange.batches[number]?.[index];
        if (!call?.result) continue;
        if (call.result.failed && isUndisturbed(turn) && callNameIn(call.result.text) !== name)
          say(`the model was told of ${name}: ${call.result.text}`);
        if (!hasEffect(tool)) continue;
        if (call.result.failed) world.history.count('measured: an effect that is not known of');
        else if (!turn.effects.some((effect) => effect.name === name)) say(`${name} was never done`);
      }
    }
  }
};

/** Whether nothing kept the client from saying what became of a call. */
function isUndisturbed({ attempts, behaviour }: TurnRecord): boolean {
  return attempts.length === 1 && behaviour.oddAnswerChance === 0;
}

/** Models are told of each call that they made, in order, with a result of its own. */
export const callsArePaired: Check = ({ cast }, _logs, report) => {
  for (const { worker, exchanges } of cast.calls) {
    for (const exchange of exchanges) {
      const fault = faultOf(exchange);
      if (fault) report(`${worker} told a model of ${exchange.script.id}: ${fault}`);
    }
  }
};

function faultOf({ script, batches }: Exchange): string | undefined {
  for (const [number, calls] of batches.entries()) {
    const planned = script.batches[number]?.tools ?? [];
    if (calls.length !== planned.length)
      return `${calls.length} of ${planned.length} calls of batch ${number}`;
    for (const [index, call] of calls.entries()) {
      const fault = callFault(call, callName(script.id, number, index));
      if (fault) return fault;
    }
  }
  return undefined;
}

function callFault({ input, result }: ToldCall, name: string): string | undefined {
  if (callNameIn(input) !== name) return `${input} in place of ${name}`;
  if (!result) return `${name} without its result`;
  const said = callNameIn(result.text);
  // What fails need not say of what.
  if (said !== name && !(result.failed && said === undefined))
    return `${name} with the result ${result.text}`;
  return undefined;
}

/** Each call that clients are shown ends once, unless the turn is broken off. */
export const shownCallsEnd: Check = ({ world }, { generations }, report) => {
  for (const own of generations.values()) {
    for (const generation of own) {
      const running = new Map<string, 'coming' | 'started'>();
      let whole = false;
      for (const { endStream, ...frame } of generation.frames) {
        const update = endStream ? undefined : updateOf(messageOf({ ...frame, endStream }));
        const name = `${generation.subject} generation ${generation.number}`;
        if (update?.case === 'partialToolCall') {
          if (!running.has(update.value.callId)) running.set(update.value.callId, 'coming');
        } else if (update?.case === 'toolCallStarted') {
          const { callId } = update.value;
          if (running.get(callId) === 'started') report(`${name} shows ${callId} twice`);
          running.set(callId, 'started');
        } else if (update?.case === 'toolCallCompleted') {
          if (!running.delete(update.value.callId)) report(`${name} ends ${update.value.callId} twice`);
        } else if (update?.case === 'turnEnded') whole = true;
      }
      if (whole && running.size > 0)
        report(`${generation.subject} never ends ${[...running.keys()].join(' ')}`);
      countWorkBetween(generation, (what) => world.history.count(what));
    }
  }
};

/** Counts what came while a client was at work: without it, a run proves little of the above. */
function countWorkBetween({ entries, frames }: Generation, count: (what: string) => void): void {
  const out = new Set<string>();
  let next = 0;
  for (const { entry } of entries) {
    for (const { kind } of entry.items) {
      if (kind.case === 'owner' && out.size > 0) count('measured: a takeover while a client was at work');
      if (kind.case === 'attempt' && out.size > 0) count('measured: an attempt while a client was at work');
      if (kind.case !== 'frame') continue;
      const frame = frames[next++];
      if (!frame || frame.endStream) continue;
      const message = messageOf(frame);
      const asked =
        message.message.case === 'execServerMessage' ? effectAsked(message.message.value) : undefined;
      if (asked) out.add(asked.callId);
      const update = updateOf(message);
      if (update?.case === 'toolCallCompleted') out.delete(update.value.callId);
    }
  }
}

function effectsAskedBy({ frames }: Generation): string[] {
  return frames.flatMap((frame) => {
    if (frame.endStream) return [];
    const { message } = messageOf(frame);
    const asked = message.case === 'execServerMessage' ? effectAsked(message.value) : undefined;
    return asked ? [asked.name] : [];
  });
}

function effectAsked({
  message,
  execId,
}: agent.ExecServerMessage): { name: string; callId: string } | undefined {
  if (message.case !== 'writeArgs' && message.case !== 'shellStreamArgs') return undefined;
  const name = callNameIn(message.case === 'writeArgs' ? message.value.path : message.value.command);
  return name === undefined ? undefined : { name, callId: execId };
}

function updateOf({ message }: agent.AgentServerMessage): agent.InteractionUpdate['message'] | undefined {
  return message.case === 'interactionUpdate' ? message.value.message : undefined;
}

function namesOf(
  turn: TurnRecord,
  wanted: (tool: TurnRecord['batches'][number]['tools'][number]) => boolean,
): string[] {
  return turn.batches.flatMap(({ tools }, number) =>
    tools.flatMap((tool, index) => (wanted(tool) ? [callName(turn.script, number, index)] : [])),
  );
}
