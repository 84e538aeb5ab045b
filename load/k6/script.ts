// A k6 script, once it is bundled: node load/k6/bundle.ts. See load/README.md.
import './runtime/globals.ts';
import { check } from 'k6';
import type { Options, Scenario } from 'k6/options';
import { PROFILES } from '../src/profiles.ts';
import { holdForeseenTurn } from '../src/scenarios/foreseen-turn.ts';
import type { TurnShape } from '../src/turn/shape.ts';
import { world } from './world.ts';

const profile = PROFILES[(__ENV.TANDEM_PROFILE ?? 'small') as keyof typeof PROFILES];
const { open, steady } = profile;

/** Between two rounds of foreseen answers, milliseconds. */
const EVERY_MS = 250;
/** A turn whose model speaks slowly keeps its stream open for as long as the profile says. */
const OPEN: TurnShape = { words: open.heldSeconds, paceMs: 1000, tools: 0 };

const scenarios: Record<string, Scenario> = {
  steady_turns: {
    executor: 'constant-arrival-rate',
    exec: 'steadyTurn',
    rate: steady.perSecond,
    timeUnit: '1s',
    duration: `${steady.seconds}s`,
    preAllocatedVUs: steady.perSecond * 10,
    gracefulStop: '60s',
  },
  open_streams: {
    executor: 'ramping-arrival-rate',
    exec: 'openStream',
    startTime: `${steady.seconds + 10}s`,
    startRate: 1,
    timeUnit: '1s',
    stages: [{ target: open.perSecond, duration: `${Math.ceil(open.streams / open.perSecond)}s` }],
    preAllocatedVUs: open.streams,
    gracefulStop: `${open.heldSeconds + 60}s`,
  },
};

export const options: Options = {
  scenarios,
  thresholds: {
    checks: ['rate==1'],
    dropped_iterations: ['count==0'],
    tandem_turns_failed: ['count==0'],
    tandem_words_lost: ['count==0'],
    tandem_words_repeated: ['count==0'],
    tandem_turn_time: ['p(95)<60000'],
    'http_req_duration{name:BidiAppend}': [`p(99)<${__ENV.TANDEM_APPEND_MS ?? '500'}`],
  },
  summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max'],
};

/** A turn as models speak, with its tools. */
export async function steadyTurn(): Promise<void> {
  await hold(steady.shape);
}

/** A turn that says little for a long time. */
export async function openStream(): Promise<void> {
  await hold(OPEN);
}

async function hold(shape: TurnShape): Promise<void> {
  const turn = await holdForeseenTurn(world, shape, { everyMs: EVERY_MS });
  check(turn, {
    'the turn finished': ({ finished }) => finished,
    'all words came once': ({ lost, repeated }) => lost + repeated === 0,
  });
}

/** What k6 hands to {@link handleSummary}, as far as it is used. */
interface Summary {
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly values: Readonly<Record<string, number>>;
        readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
      }
    >
  >;
}

/** One line of figures, and all of it as a file where `TANDEM_SUMMARY` names one. */
export function handleSummary({ metrics }: Summary): Record<string, string> {
  const bounds = Object.values(metrics).flatMap(({ thresholds }) => Object.values(thresholds ?? {}));
  const figures = {
    ok: bounds.every(({ ok }) => ok),
    turns: metrics.tandem_turns?.values.count ?? 0,
    failed: metrics.tandem_turns_failed?.values.count ?? 0,
    turn_ms_p50: metrics.tandem_turn_time?.values.med,
    turn_ms_p99: metrics.tandem_turn_time?.values['p(99)'],
    append_ms_p50: metrics['http_req_duration{name:BidiAppend}']?.values.med,
    append_ms_p99: metrics['http_req_duration{name:BidiAppend}']?.values['p(99)'],
  };
  const all = { stdout: `${JSON.stringify(figures)}\n` };
  return __ENV.TANDEM_SUMMARY ? { ...all, [__ENV.TANDEM_SUMMARY]: JSON.stringify(metrics) } : all;
}
