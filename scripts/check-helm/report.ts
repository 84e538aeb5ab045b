/** Tells what was checked, and counts what failed. */
export class Report {
  #passed = 0;
  #failed = 0;

  /** One check: no faults, or all of them. */
  check(name: string, faults: readonly string[]): void {
    if (faults.length === 0) {
      this.#passed += 1;
      return;
    }
    this.#failed += 1;
    console.error(`FAILED ${name}`);
    for (const fault of faults) console.error(`  ${fault.replaceAll('\n', '\n  ')}`);
  }

  /** Prints the closing line. @returns the exit code */
  close(): number {
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    return this.#failed === 0 ? 0 : 1;
  }
}
