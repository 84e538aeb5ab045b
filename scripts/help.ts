/** Prints how a command is used and ends the process, where it was called with `--help`. */
export function help(usage: string): void {
  if (!process.argv.includes('--help')) return;
  console.log(usage);
  process.exit(0);
}
