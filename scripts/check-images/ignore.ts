/** Whether a `.dockerignore` keeps a path (with forward slashes, from the context's root) out of a build. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({
      keep: line.startsWith('!'),
      matches: matcher(line.replace(/^!/, '').replace(/^\/|\/$/g, '')),
    }));
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.keep === false;
}

/** A rule is about a path and all below it. `*` and `?` stay within one name, `**` does not. */
function matcher(rule: string): RegExp {
  const pattern = rule
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('**', '.*')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('\u0000', '(?:.*/)?');
  return new RegExp(`^${pattern}(?:/.*)?$`);
}
