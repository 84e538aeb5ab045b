import type { Fault, Plan } from '../plan/plan.ts';
import { CALM } from '../world/network.ts';
import type { World } from '../world/world.ts';
import type { Cast } from './cast.ts';

/** Between the end of an engine's absence and the moment a client's connection is there again. */
export const RECONNECT_MS = 200;

interface Scene {
  readonly world: World;
  readonly cast: Cast;
  readonly plan: Plan;
}

/** Begins a fault. @returns what ends it, after its `ms` */
type Begin<F extends Fault> = (fault: F, scene: Scene) => (() => void) | undefined;

const BEGIN: { readonly [K in Fault['kind']]: Begin<Extract<Fault, { kind: K }>> } = {
  crash: (fault, { cast }) => {
    cast.crash(fault, fault.downMs);
    return undefined;
  },
  'client killed': (fault, { cast }) => {
    cast.crash(fault, 0);
    return undefined;
  },
  trap: (fault, { cast }) => {
    cast.trap(fault);
    return undefined;
  },
  'stuck claim': (fault, { world, cast }) => {
    cast.stickClaim(fault, () => {
      world.net.partition(fault.target, 'nats', 'held');
      world.net.partition(fault.target, 'redis', 'cut');
      world.time.after(fault.ms, () => {
        world.net.heal(fault.target, 'nats');
        world.net.heal(fault.target, 'redis');
      });
    });
    return undefined;
  },
  drain: (fault, { cast }) => {
    cast.drain(fault);
    return undefined;
  },
  pause: ({ target }, { cast }) => {
    const process = cast.processOf(target);
    process?.pause();
    return () => process?.resume();
  },
  partition: ({ a, b, mode }, { world, cast }) => {
    world.net.partition(a, b, mode);
    if (mode === 'cut' && b === 'nats') world.disconnect(a);
    if (mode === 'cut' && b.startsWith('gateway')) cast.http.breakSockets(a, b, 0.5);
    return () => {
      world.net.heal(a, b);
      if (mode === 'cut' && b === 'nats') world.time.after(RECONNECT_MS, () => world.reconnect(a));
    };
  },
  weather: ({ weather }, { world: { net } }) => {
    net.weather = weather;
    return () => {
      net.weather = CALM;
    };
  },
  lag: ({ lagMs, liveLoss, interestMs }, { world: { nats } }) => {
    Object.assign(nats, { lagMs, liveLoss, interestMs });
    return () => Object.assign(nats, { lagMs: 0, liveLoss: 0, interestMs: 0 });
  },
  'nats down': (_fault, { world }) => stopNats(world),
  'no leader': (_fault, { world: { nats } }) => {
    nats.hasLeader = false;
    return () => {
      nats.hasLeader = true;
    };
  },
  'store full': (_fault, { world: { nats } }) => {
    nats.full = true;
    return () => {
      nats.full = false;
    };
  },
  'redis down': ({ loses }, { world }) => stopRedis(world, loses),
  blackout: (_fault, { world }) => {
    const startNats = stopNats(world);
    const startRedis = stopRedis(world, 'nothing');
    return () => {
      startNats();
      startRedis();
    };
  },
  'client cut': ({ target }, { cast, plan }) => {
    for (let index = 0; index < plan.gateways; index++) {
      cast.http.breakSockets(target, `gateway${index}`, 0.7);
    }
    return undefined;
  },
};

/** Lets the plan's faults happen at their times, and all of them be over when it is to be calm. */
export function applyFaults(world: World, cast: Cast, plan: Plan): void {
  // Whoever runs into a trap is to be back by then.
  const longestDown = Math.max(0, ...plan.faults.map((fault) => ('downMs' in fault ? fault.downMs : 0)));
  world.time.after(plan.calmFrom - longestDown, () => world.traps.clear());
  for (const fault of plan.faults) {
    world.time.after(fault.at, () => {
      world.history.note(`fault: ${fault.kind}`, JSON.stringify(fault));
      const begin = BEGIN[fault.kind] as Begin<Fault>;
      const end = begin(fault, { world, cast, plan });
      if (end && 'ms' in fault) world.time.after(fault.ms, end);
    });
  }
}

function stopNats(world: World): () => void {
  world.nats.up = false;
  world.disconnect();
  return () => {
    world.nats.up = true;
    world.time.after(RECONNECT_MS, () => world.reconnect());
  };
}

function stopRedis({ redis }: World, loses: 'nothing' | 'leases' | 'all'): () => void {
  redis.up = false;
  return () => {
    redis.up = true;
    if (loses !== 'nothing') redis.lose(loses);
    redis.handOut();
  };
}
