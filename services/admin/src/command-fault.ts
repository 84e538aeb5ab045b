/** What the command cannot do, in words for the person who asked for it. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';
}
