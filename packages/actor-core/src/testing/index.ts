// Time and randomness for the tests of other packages.
export { seededEntropy } from './seeded-entropy.ts';
export { VirtualClock } from './virtual-clock.ts';
