/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/**
 * Shapes of secrets, each with what is left of it. A run of 64 or more hex digits is a key (or a hash, which is no loss
 * in a log); append bodies are hex too.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(Bearer|Basic)(\s+|%20|\+)[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/eyJ[\w-]{10,}(?:\.[\w-]*){0,4}/g, REDACTED],
  [
    /(?<![A-Za-z0-9])(?:sk|pk|rk|tk|gsk|xai|hf|fw|r8|key|crsr|gh[opsur]|github_pat|glpat|xox[abeprs])[-_][\w-]{12,}/g,
    REDACTED,
  ],
  [/(?<![A-Za-z0-9])(?:AIza[\w-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16})/g, REDACTED],
  [/[0-9a-f]{64,}/gi, REDACTED],
  [/(:\/\/)[^/@\s"]+@/g, `$1${REDACTED}@`],
];

/** `token=…`, `"api_key": "…"` and the like inside a text. */
const ASSIGNMENT =
  /((?:authorization|api[-_ ]?key|access[-_ ]?key|encryption[-_ ]?key|token|secret|passw(?:or)?d|credentials?)["']?\s*(?:=|:)\s*["']?)(?!\[redacted\])[^\s"',;&}\]]+/gi;

/** Longest text that is logged, in characters. */
const MAX_TEXT = 8192;
/** How much more is searched, so that what is cut off was no half of a secret. */
const SEARCHED_BEYOND = 8192;

/**
 * Takes out of a text whatever looks like a secret, and each given secret, and cuts it to 8,192 characters.
 *
 * @param secrets values known to be secret, such as the configuration's
 */
export function redactText(text: string, secrets: readonly string[] = []): string {
  let redacted = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT + SEARCHED_BEYOND) : text;
  for (const secret of secrets) redacted = redacted.replaceAll(secret, REDACTED);
  for (const [shape, left] of SHAPES) redacted = redacted.replace(shape, left);
  redacted = redacted.replace(ASSIGNMENT, `$1${REDACTED}`);
  if (text.length <= MAX_TEXT) return redacted;
  return `${redacted.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}
