import {
  dispatchContract,
  leasesContract,
  logContract,
  retentionContract,
  signalsContract,
  usageContract,
} from '../../contract/index.ts';
import { systemClock } from '../ports/clock.ts';
import { MemoryDispatch } from './memory-dispatch.ts';
import { MemoryLeases } from './memory-leases.ts';
import { MemoryLog } from './memory-log.ts';
import { MemoryRetention } from './memory-retention.ts';
import { MemorySignals } from './memory-signals.ts';
import { MemoryUsage } from './memory-usage.ts';

const clock = systemClock;
const nothing = async () => {};

logContract('memory', async () => ({ port: new MemoryLog({ clock }), close: nothing }));
signalsContract('memory', async () => ({ port: new MemorySignals({ clock }), close: nothing }));
leasesContract('memory', async () => ({ port: new MemoryLeases({ clock }), close: nothing }));
usageContract('memory', async () => ({ port: new MemoryUsage({ clock }), close: nothing }));

dispatchContract('memory', async () => {
  const dispatcher = new MemoryDispatch({ clock, retryMs: 10 });
  return { port: { dispatcher, queue: () => dispatcher.queue() }, close: nothing };
});

retentionContract('memory', async () => {
  const log = new MemoryLog({ clock });
  const retention = new MemoryRetention({ clock, log });
  return { port: { retention, log }, close: async () => retention.close() };
});
