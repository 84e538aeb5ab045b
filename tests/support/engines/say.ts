/** A line for whoever started the tests: which engine is used, what is being built. */
export function say(line: string): void {
  process.stderr.write(`engines: ${line}\n`);
}
