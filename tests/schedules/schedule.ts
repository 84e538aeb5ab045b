import fc from 'fast-check';

/** How a reader comes and goes. */
export interface ReaderPlan {
  /** It opens its stream when so many sends have been made. */
  readonly opensBefore: number;
  /** Drops each of its streams after so many frames, and opens the next behind them; undefined: it stays. */
  readonly dropsAfter: number | undefined;
}

export interface Schedule {
  readonly messages: number;
  /** The numbers as they arrive: each up to 16 places away from its own, some of them again later. */
  readonly sends: readonly number[];
  /** Pauses before some of the sends, milliseconds, by their index. */
  readonly pauses: ReadonlyMap<number, number>;
  readonly readers: readonly ReaderPlan[];
}

const IN_FLIGHT = 16;

/** Any order that up to 16 appends in flight can take, any repetition, readers before, between and after. */
export const schedules: fc.Arbitrary<Schedule> = fc
  .record({
    messages: fc.integer({ min: 1, max: 40 }),
    picks: fc.array(fc.nat(IN_FLIGHT - 1), { minLength: 40, maxLength: 40 }),
    repeats: fc.array(fc.tuple(fc.nat(39), fc.nat(60)), { maxLength: 12 }),
    pauses: fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 30 })), { maxLength: 6 }),
    readers: fc.array(fc.record({ at: fc.nat(60), dropsAfter: fc.option(fc.integer({ min: 1, max: 9 })) }), {
      minLength: 1,
      maxLength: 4,
    }),
    afterwards: fc.boolean(),
  })
  .map(({ messages, picks, repeats, pauses, readers, afterwards }) => {
    const sends = withRepeats(arrivals(messages, picks), repeats);
    // A turn that somebody was given to its end is not given to a newcomer: who comes last comes alone.
    const own = afterwards ? readers.slice(0, 1) : readers;
    const last = sends.indexOf(messages - 1);
    return {
      messages,
      sends,
      pauses: new Map(pauses),
      readers: own.map(({ at, dropsAfter }) => ({
        opensBefore: afterwards ? sends.length : at % (last + 1),
        dropsAfter: dropsAfter ?? undefined,
      })),
    };
  });

/** Each pick takes one of the 16 oldest messages that are on the way. */
function arrivals(messages: number, picks: readonly number[]): number[] {
  const waiting = Array.from({ length: messages }, (_, seqno) => seqno);
  return picks.slice(0, messages).flatMap((pick) => {
    const flying = Math.min(IN_FLIGHT, waiting.length);
    return waiting.splice(pick % flying, 1);
  });
}

/** A repetition comes after its original: what is sent first under a number counts. */
function withRepeats(sends: number[], repeats: readonly (readonly [number, number])[]): number[] {
  const all = [...sends];
  for (const [which, later] of repeats) {
    const from = which % all.length;
    const seqno = all[from] as number;
    // A first message behind the end of its turn begins another turn.
    if (seqno === 0) continue;
    all.splice(Math.min(all.length, from + 1 + later), 0, seqno);
  }
  return all;
}
