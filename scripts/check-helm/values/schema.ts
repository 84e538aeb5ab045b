import { z } from 'zod';
import { catalogueSchema } from '../../../packages/platform/src/index.ts';
import { gateway, nats, valkey, worker } from './components.ts';
import {
  anything,
  bool,
  byteSize,
  duration,
  exactTag,
  group,
  hostName,
  integer,
  list,
  oneOf,
  pattern,
  type Schema,
  secretKey,
  secretName,
  text,
  texts,
  when,
} from './shapes.ts';

const port = integer(1, 65_535);
const peer = group(
  { podSelector: anything, namespaceSelector: anything, ipBlock: anything },
  { minProperties: 1 },
);
const peers = list(peer);
const identifier = pattern('^[\\w.@+-]{1,128}$');

const limits = group({
  concurrentTurns: integer(1, 1_000_000),
  tokensPerDay: integer(1, Number.MAX_SAFE_INTEGER),
  moneyPerDay: { type: 'number', exclusiveMinimum: 0 },
});
const userGroup = group(
  { id: identifier, models: list(text), limits, memberLimits: limits },
  { required: ['id'] },
);

const user = group(
  {
    id: identifier,
    name: text,
    groups: list(identifier),
    limits,
    keys: list(
      group(
        { id: identifier, sha256: pattern('^[0-9a-f]{64}$'), expires: text, disabled: bool },
        { required: ['id', 'sha256'] },
      ),
    ),
  },
  { required: ['id', 'keys'] },
);

const CONTROLLERS = [
  'none',
  'ingress-nginx',
  'nginx-inc',
  'traefik',
  'haproxy',
  'haproxy-ingress',
  'alb',
  'contour',
];

/** Every value of the chart, without the descriptions that values.yaml has. */
export function valuesSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Tandem chart',
    ...group({
      global: anything,
      nameOverride: pattern('^([a-z]([a-z0-9-]*[a-z0-9])?)?$'),
      fullnameOverride: pattern('^([a-z]([a-z0-9-]*[a-z0-9])?)?$'),
      commonLabels: texts,
      imagePullSecrets: list({ ...secretName, minLength: 1 }),
      image: group({
        registry: text,
        tag: { anyOf: [{ const: '' }, exactTag] },
        pullPolicy: oneOf('IfNotPresent', 'Always', 'Never'),
      }),
      secrets: group({
        existingSecret: { ...secretName, minLength: 1 },
        keys: group({
          tokenSecret: { ...secretKey, minLength: 1 },
          previousTokenSecret: secretKey,
          users: secretKey,
          natsPassword: { ...secretKey, minLength: 1 },
          valkeyPassword: { ...secretKey, minLength: 1 },
          jetstreamKey: { ...secretKey, minLength: 1 },
          testApiKey: { ...secretKey, minLength: 1 },
        }),
      }),
      groups: list(userGroup),
      users: list(user),
      models: group({ catalogue: catalogue(), existingSecret: secretName }),
      extraCaCertificates: group({ existingSecret: secretName, key: { ...secretKey, minLength: 1 } }),
      gateway,
      worker,
      blobCache: group({ existingSecret: secretName, key: { ...secretKey, minLength: 1 }, port }),
      streams: group({
        pairs: integer(1, 64),
        replicas: oneOf(0, 1, 3, 5),
        maxSize: byteSize,
        maxAge: duration,
      }),
      nats,
      valkey,
      topologySpread: group({ enabled: bool, whenUnsatisfiable: oneOf('ScheduleAnyway', 'DoNotSchedule') }),
      priorityClass: group({ create: bool, value: integer(-1_000_000_000, 1_000_000_000) }),
      serviceAccount: group({ annotations: texts }),
      ingress: group({
        enabled: bool,
        className: text,
        controller: oneOf(...CONTROLLERS),
        streamSeconds: integer(60, 86_400),
        annotations: texts,
        hosts: list(hostName),
        tls: group({ secretName }),
      }),
      gatewayApi: group({
        enabled: bool,
        parentRefs: list({ type: 'object', required: ['name'] }),
        hostnames: list(hostName),
        annotations: texts,
        requestTimeout: pattern('^\\d+(ms|s|m|h)$'),
      }),
      networkPolicy: group({
        enabled: bool,
        clients: peers,
        loadBalancers: peers,
        monitoring: { ...peers, minItems: 1 },
        dns: { ...peers, minItems: 1 },
        providers: peers,
        providerPorts: list(port, { minItems: 1 }),
        externalNats: peers,
        externalValkey: peers,
        traceCollector: peers,
      }),
      metrics: group({
        monitor: oneOf('none', 'PodMonitor', 'ServiceMonitor'),
        labels: texts,
        interval: duration,
        rule: group({ enabled: bool, labels: texts }),
      }),
      dashboards: group({ enabled: bool, labels: texts, annotations: texts }),
      tracing: group({ enabled: bool, endpoint: pattern('^(https?://.+)?$'), port }),
      keda: group({ prometheusAddress: pattern('^https?://.+$') }),
      test: group({ model: text, message: { ...text, minLength: 1 } }),
    }),
    allOf: [
      when('nats.enabled', false, ['nats.external.urls', { minItems: 1 }]),
      when('valkey.enabled', false, ['valkey.external.existingSecret', { minLength: 1 }]),
      when('secrets.keys.users', '', ['users', { minItems: 1 }]),
      when('ingress.enabled', true, ['ingress.hosts', { minItems: 1 }]),
      when('ingress.controller', 'alb', ['networkPolicy.loadBalancers', { minItems: 1 }]),
      when('gatewayApi.enabled', true, ['gatewayApi.parentRefs', { minItems: 1 }]),
      when('tracing.enabled', true, ['tracing.endpoint', { minLength: 1 }]),
    ],
  };
}

/** The list of models, as the services' own reader takes it. */
function catalogue(): Schema {
  const whole = z.toJSONSchema(catalogueSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return (whole.properties as Record<string, Schema>).models as Schema;
}
