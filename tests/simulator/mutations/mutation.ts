/** A piece of a source file that is put in another's place while the file is loaded. */
export interface Patch {
  /** Relative to the repository. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** One mechanism, broken on purpose. */
export interface Mutation {
  readonly name: string;
  readonly patches: readonly Patch[];
}
