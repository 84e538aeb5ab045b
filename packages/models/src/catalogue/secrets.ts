import { TandemError } from '@tandem/errors';
import type { Catalogue, Deployment, SecretReference } from '@tandem/platform';
import { CatalogueError } from '@tandem/platform';

/** Where references lead. */
export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file, or throws. */
  readonly readTextFile: (path: string) => string;
}

/**
 * Follows one reference. Files are read at each call, so that a rotated key needs no restart.
 *
 * @throws TandemError `provider_auth` when there is no secret.
 */
export function readSecret(reference: SecretReference, source: SecretSource): string {
  const secret = lookUp(reference, source);
  if (secret) return secret;
  throw new TandemError('provider_auth', { message: `no key: ${place(reference)} is missing or empty` });
}

/** The deployment's own headers with their references followed. */
export function readHeaders(headers: Deployment['headers'], source: SecretSource): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : readSecret(value, source),
    ]),
  );
}

/** @throws CatalogueError that names every reference of the catalogue that leads nowhere. */
export function checkSecrets(catalogue: Catalogue, source: SecretSource): void {
  const faults = catalogue.models.flatMap(({ id, deployments }) =>
    deployments.flatMap(({ apiKey, accessKey, credentials, headers }) => {
      const references = [
        apiKey,
        credentials,
        ...Object.values(accessKey ?? {}),
        ...Object.values(headers),
      ].filter((value) => typeof value === 'object');
      const missing = references.filter((reference) => !lookUp(reference, source));
      return missing.map((reference) => `${id}: ${place(reference)} is missing or empty`);
    }),
  );
  if (faults.length > 0) throw new CatalogueError('the catalogue', [...new Set(faults)]);
}

function lookUp(reference: SecretReference, source: SecretSource): string | undefined {
  if ('env' in reference) return source.env[reference.env]?.trim();
  try {
    return source.readTextFile(reference.file).trim();
  } catch {
    return undefined;
  }
}

function place(reference: SecretReference): string {
  return 'env' in reference ? `the variable ${reference.env}` : `the file ${reference.file}`;
}
