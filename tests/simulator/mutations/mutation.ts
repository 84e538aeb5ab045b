/** One mechanism broken on purpose: a piece of a source file put in another's place while it is loaded. */
export interface Mutation {
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}
