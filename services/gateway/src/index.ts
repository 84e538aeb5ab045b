export { type ClientAppend, decodeAppend } from './append/decode-append.ts';
export { type StoreDeps, storeAppend } from './append/store-append.ts';
export { type GatewayConfig, gatewayConfigShape } from './config/gateway-config.ts';
export type { GatewayDeps } from './deps.ts';
export { createGateway, type Gateway, type GatewayAddress } from './gateway.ts';
export { Reader } from './reader/reader.ts';
export type { ReaderDeps, ReaderEnd, ReaderObserver, ReaderRequest, Sink } from './reader/reader-types.ts';
export { READER_TIMINGS, type ReaderTimings } from './reader/timings.ts';
