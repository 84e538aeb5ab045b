import type { Tools } from './tools/fetch.ts';
import { validationFaults } from './validate.ts';

/** Objects with a fault each, of which a validator has to say something: else it checks nothing. */
const WRONG = [
  ['apps/v1', 'Deployment', { replicas: 'many', selector: {}, template: {} }],
  ['networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {}, policyType: [] }],
  ['monitoring.coreos.com/v1', 'PodMonitor', { selector: {}, podMetricsEndpoints: 'all' }],
  ['monitoring.coreos.com/v1', 'ServiceMonitor', { selector: {} }],
  ['monitoring.coreos.com/v1', 'PrometheusRule', { groups: [{ rules: [] }] }],
  ['gateway.networking.k8s.io/v1', 'HTTPRoute', { rules: [{ timeouts: { request: 'soon' } }] }],
  ['keda.sh/v1alpha1', 'ScaledObject', { triggers: [{}] }],
] as const;

/** Kinds of which the validator takes a wrong object. */
export function validatorFaults(tools: Tools): string[] {
  return WRONG.filter(([apiVersion, kind, spec]) => {
    const object = { apiVersion, kind, metadata: { name: 'wrong' }, spec };
    return validationFaults([{ text: JSON.stringify(object), object }], tools).length === 0;
  }).map(([, kind]) => `a wrong ${kind} was taken`);
}
