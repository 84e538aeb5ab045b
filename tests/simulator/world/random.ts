import { seededEntropy } from '@tandem/actor-core/testing';

/** Draws for one purpose: what one part of a run draws never shifts what another does. */
export class Random {
  readonly #draw: () => number;

  constructor(seed: number, purpose: string) {
    this.#draw = seededEntropy(mix(seed, purpose)).random;
  }

  /** Uniform in [0, 1). */
  unit(): number {
    return this.#draw();
  }

  chance(probability: number): boolean {
    return probability > 0 && this.#draw() < probability;
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.#draw() * (max - min + 1));
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[this.int(0, list.length - 1)] as T;
  }
}

/** FNV-1a over the purpose, begun with the seed. */
export function mix(seed: number, purpose: string): number {
  let hash = Math.imul(seed ^ 0x811c9dc5, 0x01000193) >>> 0;
  for (let index = 0; index < purpose.length; index++) {
    hash = Math.imul(hash ^ purpose.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}
