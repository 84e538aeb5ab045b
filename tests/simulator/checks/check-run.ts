import type { Run } from '../run/simulate.ts';
import { noDanglingReference } from './blobs.ts';
import { acknowledgedIsStored, answersAreHeard, eachCommandOnce } from './commands.ts';
import { newerTurnsReplaceOlder } from './conversations.ts';
import { framesComeSoon, lostJobsAreMadeAgain, takenOverInTime } from './delays.ts';
import {
  canceledTurnsStop,
  noFaultsOfOurOwn,
  nothingLeftRunning,
  turnsAreGivenUp,
  turnsEnd,
} from './ends.ts';
import { heartbeatsTellTheTruth } from './heartbeats.ts';
import { readLogs } from './journals.ts';
import { ownersApart } from './owners.ts';
import { eachFrameOnce } from './readers.ts';
import { callsAreStored, checkpointHoldsAll, modelsAreToldTheTruth, textIsWhole } from './texts.ts';
import { callsArePaired, effectsHappenOnce, shownCallsEnd, toolsAreDone } from './tools.ts';
import type { Check, Violation } from './violation.ts';
import { oneWriterAnEpoch } from './writers.ts';

const CHECKS: Readonly<Record<string, Check>> = {
  acknowledgedIsStored,
  eachCommandOnce,
  answersAreHeard,
  eachFrameOnce,
  takenOverInTime,
  framesComeSoon,
  lostJobsAreMadeAgain,
  newerTurnsReplaceOlder,
  oneWriterAnEpoch,
  ownersApart,
  noDanglingReference,
  textIsWhole,
  checkpointHoldsAll,
  modelsAreToldTheTruth,
  callsAreStored,
  effectsHappenOnce,
  toolsAreDone,
  callsArePaired,
  shownCallsEnd,
  turnsEnd,
  nothingLeftRunning,
  turnsAreGivenUp,
  canceledTurnsStop,
  noFaultsOfOurOwn,
  heartbeatsTellTheTruth,
};

/** What went wrong in a run; nothing, if all promises were kept. */
export function checkRun(run: Run): Violation[] {
  const logs = readLogs(run.world.nats.stored);
  const violations: Violation[] = [];
  for (const [check, look] of Object.entries(CHECKS))
    look(run, logs, (what) => violations.push({ check, what }));
  return violations;
}
