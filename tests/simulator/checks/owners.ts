import { tokensIn } from '../model/script.ts';
import { turnName } from './commands.ts';
import type { Check } from './violation.ts';

/** No user's things reach another (promise 6): all is marked with its owner's name. */
export const ownersApart: Check = ({ cast }, _logs, report) => {
  const owners = new Set(cast.turns.map(({ owner }) => owner));
  for (const turn of cast.turns) {
    const foreign = [...owners].filter((owner) => owner !== turn.owner);
    for (const { text } of turn.attempts) {
      const other = tokensIn(text).tokens.find(({ owner }) => owner !== turn.owner);
      if (other) report(`${turnName(turn)} is shown ${other.owner}'s ${other.id}`);
    }
    for (const data of turn.blobs.values()) {
      const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      const owner = foreign.find((one) => buffer.includes(`<<${one}|`) || buffer.includes(`[${one}|`));
      if (owner) report(`${turnName(turn)}: its client keeps a blob of ${owner}'s`);
    }
  }
};
