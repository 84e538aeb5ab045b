import { TandemError } from '@tandem/errors';

/** One fault of a configuration, by the variable or file that it is in. Never quotes a value. */
export interface ConfigFault {
  readonly where: string;
  readonly reason: string;
}

/**
 * A configuration that cannot be used, with all its faults. A service prints the message on standard error as it is: a log
 * would take what stands behind "…_TOKEN:" for a token.
 */
export class ConfigError extends TandemError {
  override name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(({ where, reason }) => `  ${where}: ${reason}`);
    super('internal', { message: ['The configuration is not valid:', ...lines].join('\n') });
    this.faults = faults;
  }
}
