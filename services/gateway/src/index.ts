export { type ClientAppend, decodeAppend } from './append/decode-append.ts';
export { type StoreDeps, storeAppend } from './append/store-append.ts';
export { type GatewayConfig, gatewayConfigShape } from './config/gateway-config.ts';
export type { GatewayDeps } from './deps.ts';
export { createGateway, type Gateway, type GatewayAddress } from './gateway.ts';
export * from './reader/index.ts';
