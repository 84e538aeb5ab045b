{{/* Whether each condition of a flow holds, as a YAML map. Takes the root. */}}
{{- define "tandem.flowConditions" -}}
{{- with .Values -}}
{{- $metrics := ne .metrics.monitor "none" -}}
albHealthChecks: {{ and .ingress.enabled (eq .ingress.controller "alb") }}
metrics: {{ $metrics }}
natsExporter: {{ and $metrics .nats.enabled .nats.exporter.enabled }}
valkeyExporter: {{ and $metrics .valkey.enabled .valkey.exporter.enabled }}
ownNats: {{ .nats.enabled }}
natsCluster: {{ and .nats.enabled (gt (int .nats.replicas) 1) }}
ownValkey: {{ .valkey.enabled }}
externalNats: {{ not .nats.enabled }}
externalValkey: {{ not .valkey.enabled }}
blobCache: {{ ne .blobCache.existingSecret "" }}
tracing: {{ .tracing.enabled }}
{{- end -}}
{{- end -}}

{{/* The flows that exist with these values, as a YAML map with the list `flows`. Takes the root. */}}
{{- define "tandem.flows" -}}
{{- $conditions := include "tandem.flowConditions" . | fromYaml -}}
{{- $active := list -}}
{{- range (.Files.Get "files/flows.yaml" | fromYaml).flows -}}
{{- if or (not .when) (get $conditions .when) -}}
{{- $active = append $active . -}}
{{- end -}}
{{- end -}}
{{- dict "flows" $active | toYaml -}}
{{- end -}}

{{/* Ports of a flow, as in a network policy. Takes {root, ports}. */}}
{{- define "tandem.flowPorts" -}}
{{- $root := .root -}}
{{- range .ports -}}
{{- $numbers := list .port -}}
{{- if .value -}}{{- $numbers = list (include "tandem.valueAt" (dict "root" $root "path" .value) | fromYaml).value -}}{{- end -}}
{{- if .values -}}{{- $numbers = (include "tandem.valueAt" (dict "root" $root "path" .values) | fromYaml).value -}}{{- end -}}
{{- $protocol := default "TCP" .protocol -}}
{{- range $numbers }}
- {protocol: {{ $protocol }}, port: {{ int . }}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The value at a path such as nats.external.port, below `value`. Takes {root, path}. */}}
{{- define "tandem.valueAt" -}}
{{- $value := .root.Values -}}
{{- range splitList "." .path -}}{{- $value = get $value . -}}{{- end -}}
{{- dict "value" $value | toYaml -}}
{{- end -}}

{{/* Peers of a flow's one end, as in a network policy; nothing where anyone is meant. Takes {root, name}. */}}
{{- define "tandem.flowPeers" -}}
{{- if has .name (list "gateway" "worker" "nats" "valkey" "test") -}}
- podSelector:
    matchLabels:
      {{- include "tandem.selector" (dict "root" .root "component" .name) | nindent 6 }}
{{- else -}}
{{- with get .root.Values.networkPolicy .name -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}
{{- end -}}
