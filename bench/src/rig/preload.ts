// Loaded into measured processes before their own program: tells the CPU time of all threads so far (milliseconds; finer than
// what /proc counts in), or what is held once garbage is collected.
process.on('message', (message: { cpu?: boolean; memory?: boolean }) => {
  if (message.cpu) {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  }
  if (message.memory) tellMemory();
});
// A program must be able to end by itself.
process.channel?.unref();

function tellMemory(): void {
  // Of the kind that also gives back the memory that it frees.
  const collect = () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  collect();
  // Twice: what a first round finalises, a second one frees.
  setImmediate(() => {
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send?.({ rss, heapUsed, external });
  });
}
