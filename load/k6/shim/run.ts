// `node --experimental-vm-modules load/k6/shim/run.ts <script> <iterations>`: runs a bundled script in a context that has, besides the
// language, only what k6 gives its scripts. Each scenario's function is called so often, all at once; executors are k6's own
// business. Prints what `handleSummary` wants on standard output.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { k6Http } from './http.ts';
import { Metrics } from './metrics.ts';

type Exports = Readonly<Record<string, unknown>>;
interface Script {
  readonly options: {
    readonly scenarios: Readonly<Record<string, { readonly exec: string }>>;
    readonly thresholds: Readonly<Record<string, readonly string[]>>;
  };
  readonly handleSummary: (data: object) => Readonly<Record<string, string>>;
}

const [, , path = '', iterations = '1'] = process.argv;
const metrics = new Metrics();
const modules: Readonly<Record<string, Exports>> = {
  k6: {
    check: (value: unknown, checks: Readonly<Record<string, (value: unknown) => boolean>>) => {
      for (const [name, holds] of Object.entries(checks)) {
        const held = holds(value);
        metrics.metric('rate', 'checks').add(held);
        if (!held) console.error(`does not hold: ${name}`);
      }
    },
  },
  'k6/http': { default: k6Http(metrics) },
  'k6/metrics': {
    Counter: metrics.classOf('counter'),
    Trend: metrics.classOf('trend'),
    Rate: metrics.classOf('rate'),
  },
};

const context = vm.createContext({
  __ENV: { ...process.env },
  __VU: 1,
  __ITER: 0,
  console,
  crypto: { randomUUID: () => crypto.randomUUID() },
  setTimeout,
  clearTimeout,
});
const script = new vm.SourceTextModule(readFileSync(path, 'utf8'), { context, identifier: path });
await script.link((name) => {
  const exported = modules[name];
  if (!exported) throw new Error(`k6 has no module ${name}`);
  return new vm.SyntheticModule(
    Object.keys(exported),
    function (this: vm.SyntheticModule) {
      for (const [key, value] of Object.entries(exported)) this.setExport(key, value);
    },
    { context },
  );
});
await script.evaluate();
const exported = script.namespace as unknown as Script & Record<string, () => Promise<void>>;
const { options, handleSummary } = exported;
const runs = Object.values(options.scenarios).flatMap(({ exec }) =>
  Array.from({ length: Number(iterations) }, () => exported[exec]?.()),
);
await Promise.all(runs);
process.stdout.write(handleSummary(metrics.summary(options.thresholds)).stdout ?? '');
