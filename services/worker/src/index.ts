export type { BlobStore } from './blob-cache/blob-cache.ts';
export { MemoryBlobStore } from './blob-cache/memory-blob-store.ts';
export { createWorker, type Worker, type WorkerDeps } from './create-worker.ts';
export { createWeb } from './effects/web.ts';
export { priceList } from './limits/call-meter.ts';
export { usageMetrics } from './metrics/usage-metrics.ts';
export { type WorkerObservers, workerMetrics } from './metrics/worker-metrics.ts';
export { ModelSlots } from './model-slots/model-slots.ts';
export { workerConfigShape, workerProcessShape } from './worker-config.ts';
