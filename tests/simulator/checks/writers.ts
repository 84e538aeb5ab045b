import { epochOfSet } from '@tandem/actor-core';
import type { Check } from './violation.ts';

/** At most one actor writes a turn's journal at any epoch, and none of an older epoch after a newer one (promise 5). */
export const oneWriterAnEpoch: Check = (_run, { records, generations }, report) => {
  const journals = Map.groupBy(
    records.filter(({ subject }) => subject.startsWith('evt.')),
    ({ subject }) => subject,
  );
  for (const [subject, own] of journals) {
    const writers = new Map<number, string>();
    let newest = 0;
    for (const { part, by, sequence, previous } of own) {
      if (previous === 0) {
        // All before it was purged: the journal begins anew, with its epochs.
        writers.clear();
        newest = 0;
      }
      const epoch = epochOfSet(part.set);
      const writer = writers.get(epoch) ?? by;
      writers.set(epoch, writer);
      if (writer !== by) report(`${subject}: epoch ${epoch} is written by ${writer} and ${by}`);
      if (epoch < newest) report(`${subject}: ${sequence} is of epoch ${epoch}, after one of ${newest}`);
      newest = Math.max(newest, epoch);
    }
  }
  for (const [subject, own] of generations) {
    for (const { entries, number } of own) {
      for (const [index, { entry }] of entries.entries()) {
        if (Number(entry.number) === index + 1) continue;
        report(`${subject}: generation ${number} has entry ${entry.number} at place ${index + 1}`);
        break;
      }
    }
  }
};
