/** The programs and schemas that the checks use, by exact version; each is fetched with Go's own client. */
export const PINS = {
  helm3: { module: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0', program: 'helm' },
  helm4: { module: 'helm.sh/helm/v4/cmd/helm', version: 'v4.3.1', program: 'helm' },
  validate: { module: 'sigs.k8s.io/kubectl-validate', version: 'v0.0.4', program: 'kubectl-validate' },
} as const;

/** Where definitions of custom resources are, in modules of those who define them. */
export const DEFINITIONS = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    files: [
      'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
      'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
      'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
    ],
  },
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.6.3',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.20.2',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  },
] as const;

/** The schema of Compose files, in the module of those who read them. */
export const COMPOSE_SCHEMA = {
  module: 'github.com/compose-spec/compose-go/v2',
  version: 'v2.16.2',
  files: ['schema/compose-spec.json'],
} as const;

/** The API that rendered objects are checked against: the oldest that the chart takes. */
export const KUBERNETES = '1.30';
