import type { Mutation } from './mutation.ts';

/** Each mechanism that a promise rests on, broken. */
export const MUTATIONS: readonly Mutation[] = [];
