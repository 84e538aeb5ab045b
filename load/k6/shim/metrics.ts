import { percentile } from '../../src/measure/percentile.ts';

type Kind = 'counter' | 'trend' | 'rate';

/** One metric of k6, with all that was added to it. */
export class Metric {
  readonly kind: Kind;
  readonly added: number[] = [];

  constructor(kind: Kind) {
    this.kind = kind;
  }

  add(value: number | boolean): void {
    this.added.push(Number(value));
  }

  /** What k6 tells of it at the end. */
  values(): Record<string, number> {
    const sum = this.added.reduce((total, value) => total + value, 0);
    if (this.kind === 'counter') return { count: sum };
    if (this.kind === 'rate') return { rate: this.added.length === 0 ? 0 : sum / this.added.length };
    const shares = { min: 0, med: 0.5, 'p(95)': 0.95, 'p(99)': 0.99, max: 1 };
    const entries = Object.entries(shares).map(([name, share]) => [name, percentile(this.added, share)]);
    return Object.fromEntries(entries);
  }
}

/** All metrics of a run, by name. */
export class Metrics {
  readonly byName = new Map<string, Metric>();

  metric(kind: Kind, name: string): Metric {
    const metric = this.byName.get(name) ?? new Metric(kind);
    this.byName.set(name, metric);
    return metric;
  }

  /** The class by which scripts make a metric of this kind. */
  classOf(kind: Kind): new (name: string) => Metric {
    const { byName } = this;
    return class extends Metric {
      constructor(name: string) {
        super(kind);
        byName.set(name, this);
      }
    };
  }

  /** What `handleSummary` gets, each threshold held against what was added. @throws Error for one that is not understood */
  summary(thresholds: Readonly<Record<string, readonly string[]>>): object {
    // k6 knows these without being told.
    this.metric('counter', 'dropped_iterations');
    const metrics: Record<string, object> = {};
    for (const [name, metric] of this.byName) metrics[name] = { type: metric.kind, values: metric.values() };
    for (const [name, bounds] of Object.entries(thresholds)) {
      const metric = this.byName.get(name);
      if (!metric) throw new Error(`a threshold names ${name}, which there is not`);
      const held = bounds.map((bound) => [bound, { ok: holds(metric, bound) }]);
      metrics[name] = { ...metrics[name], thresholds: Object.fromEntries(held) };
    }
    return { metrics };
  }
}

function holds(metric: Metric, bound: string): boolean {
  const found = /^(count|rate|min|med|max|p\(\d+\))(==|<=|>=|<|>)(\d+(?:\.\d+)?)$/.exec(bound);
  const value = metric.values()[found?.[1] ?? ''];
  if (!found || value === undefined) throw new Error(`not a threshold of a ${metric.kind}: ${bound}`);
  const limit = Number(found[3]);
  switch (found[2]) {
    case '==':
      return value === limit;
    case '<=':
      return value <= limit;
    case '>=':
      return value >= limit;
    case '<':
      return value < limit;
    default:
      return value > limit;
  }
}
