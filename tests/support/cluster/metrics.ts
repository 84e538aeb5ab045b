/** The sum of a metric's series, of a process that serves `/metrics`; 0 when it has none. */
export async function readMetric(url: string, name: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`);
  const lines = (await answer.text()).split('\n');
  const values = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
