import { release, type } from 'node:os';
import type { ExecHandler } from './exec-handler.ts';

/** Where a client works. */
export interface Workspace {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  readonly shell?: string;
}

/** Answers the server's question where it is: working directory, operating system, shell, time zone. */
export function requestContextHandler({ cwd, shell = '' }: Workspace): ExecHandler<'requestContextArgs'> {
  return () => ({
    case: 'requestContextResult',
    value: {
      result: {
        case: 'success',
        value: {
          requestContext: {
            env: {
              osVersion: `${type().toLowerCase()} ${release()}`,
              workspacePaths: [cwd],
              processWorkingDirectory: cwd,
              shell,
              timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            },
          },
        },
      },
    },
  });
}
