export {
  createShutdown,
  type ProcessPort,
  type Shutdown,
  type ShutdownHook,
  type ShutdownOptions,
  type UncaughtKind,
} from './shutdown.ts';
