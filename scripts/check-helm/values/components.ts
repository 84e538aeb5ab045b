import {
  anything,
  bool,
  byteSize,
  digest,
  duration,
  exactTag,
  group,
  integer,
  list,
  oneOf,
  pattern,
  quantity,
  type Schema,
  secretKey,
  secretName,
  text,
  texts,
  volumeSize,
} from './shapes.ts';

const port = integer(1, 65_535);
const logLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent');
const amounts = group({ cpu: quantity, memory: quantity, 'ephemeral-storage': quantity });
/** Limits are not optional: a component without them can take its neighbours down. */
const resources = group(
  { requests: amounts, limits: { ...amounts, required: ['cpu', 'memory'] } },
  { required: ['limits'] },
);
const ownImage = group({ repository: pattern('^[a-z0-9._/:-]+$'), digest });
const otherImage = group({ repository: pattern('^[a-z0-9._/:-]+$'), tag: exactTag, digest });
const scheduling = {
  resources,
  podDisruptionBudget: group({
    enabled: bool,
    maxUnavailable: { anyOf: [integer(0, 1000), pattern('^\\d{1,3}%$')] },
  }),
  priorityClassName: secretName,
  nodeSelector: texts,
  tolerations: list(anything),
  affinity: anything,
  podAnnotations: texts,
  podLabels: texts,
};
const exporter = group({ enabled: bool, image: otherImage, resources });

const service = {
  replicas: integer(1, 1000),
  image: ownImage,
  drainGraceSeconds: integer(0, 3600),
  autoscaling: group({
    type: oneOf('none', 'hpa', 'keda'),
    minReplicas: integer(1, 1000),
    maxReplicas: integer(1, 1000),
    targetCpuPercent: integer(0, 100),
    targetPerPod: integer(0, 1_000_000),
    // Pods that come and go with each lull would move turns about for nothing.
    scaleDownStabilizationSeconds: integer(60, 3600),
    scaleDownPeriodSeconds: integer(15, 1800),
  }),
  extraEnv: list({
    type: 'object',
    required: ['name'],
    properties: { name: pattern('^[A-Za-z_][A-Za-z0-9_]*$') },
  }),
  ...scheduling,
};

export const gateway: Schema = group({
  ...service,
  maxSurge: { anyOf: [integer(1, 1000), pattern('^[1-9]\\d{0,2}%$')] },
  config: group({
    logLevel,
    http2Config: integer(0, 4),
    streamContentType: oneOf('auto', 'application/connect+proto', 'text/event-stream'),
    trustedProxy: bool,
    tokenTtl: duration,
    maxStreams: integer(1, 1_000_000),
    maxMessage: byteSize,
    maxBodyBytes: byteSize,
    maxOwnerBodyBytes: byteSize,
    idleTimeout: duration,
    storeTimeout: duration,
  }),
  preStopSeconds: integer(5, 600),
  stopMarginSeconds: integer(15, 600),
  tls: group({ existingSecret: secretName }),
  service: group({
    type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
    port,
    annotations: texts,
    loadBalancerClass: text,
    appProtocol: text,
  }),
});

export const worker: Schema = group({
  ...service,
  config: group({
    logLevel,
    concurrentTurns: integer(1, 100_000),
    modelCalls: integer(1, 100_000),
    blobCacheSize: byteSize,
    blobCacheAge: duration,
    usageMetricsByUser: bool,
  }),
  stopMarginSeconds: integer(15, 600),
});

export const nats: Schema = group({
  enabled: bool,
  replicas: oneOf(1, 3),
  image: otherImage,
  user: pattern('^[A-Za-z0-9_-]+$'),
  syncAlways: bool,
  storage: group({ size: volumeSize, storageClassName: secretName, fileLimit: pattern('^\\d+(MB|GB|TB)$') }),
  maxPayload: pattern('^\\d+(KB|MB)$'),
  encryption: group({ enabled: bool, cipher: oneOf('aes', 'chachapoly') }),
  exporter,
  external: group({
    urls: list(pattern('^(nats|tls)://[^@/]+$')),
    existingSecret: secretName,
    userKey: secretKey,
    passwordKey: secretKey,
    port,
  }),
  ...scheduling,
});

export const valkey: Schema = group({
  enabled: bool,
  image: otherImage,
  maxMemory: pattern('^\\d+(kb|mb|gb)$'),
  appendFsync: oneOf('everysec', 'always'),
  storage: group({ size: volumeSize, storageClassName: secretName }),
  exporter,
  external: group({ existingSecret: secretName, urlKey: secretKey, port }),
  ...scheduling,
});
