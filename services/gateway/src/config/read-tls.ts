import { ConfigError } from '@tandem/platform';
import type { GatewayConfig } from './gateway-config.ts';

/**
 * Reads certificate and key, if the gateway is to speak TLS.
 * @param readTextFile reads a file, or throws
 * @throws ConfigError when only one is set, or a file cannot be read
 */
export function readTls(
  { tlsCertFile, tlsKeyFile }: GatewayConfig,
  readTextFile: (path: string) => string,
): { cert: string; key: string } | undefined {
  if (!tlsCertFile && !tlsKeyFile) return undefined;
  if (!tlsCertFile || !tlsKeyFile) {
    const where = tlsCertFile ? 'TANDEM_TLS_KEY_FILE' : 'TANDEM_TLS_CERT_FILE';
    throw new ConfigError([{ where, reason: 'certificate and key are set together, or not at all' }]);
  }
  const read = (where: string, path: string) => {
    try {
      return readTextFile(path);
    } catch (error) {
      const { code = 'unreadable' } = error as NodeJS.ErrnoException;
      throw new ConfigError([{ where, reason: `names a file that cannot be read (${code})` }]);
    }
  };
  return {
    cert: read('TANDEM_TLS_CERT_FILE', tlsCertFile),
    key: read('TANDEM_TLS_KEY_FILE', tlsKeyFile),
  };
}
