import { parse } from 'yaml';

/** A service of a Compose file, as far as the checks look into it. */
export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly networks?: readonly string[];
  readonly stop_grace_period?: string;
  readonly privileged?: boolean;
  readonly network_mode?: string;
  readonly deploy?: { readonly replicas?: number };
  readonly command?: readonly string[];
}

/** A Compose file with its variables replaced. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly [part: string]: unknown;
}

/** Reads a Compose file as `docker compose` does: merge keys joined, `${NAME:-otherwise}` replaced. */
export function readCompose(text: string, env: Readonly<Record<string, string>> = {}): ComposeFile {
  const replaced = text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name, otherwise = '') => env[name] ?? otherwise,
  );
  return parse(replaced, { merge: true });
}
