{{/* What all pods have in common. Takes {root, component, values} with the component's values. */}}
{{- define "tandem.podCommon" -}}
serviceAccountName: {{ include "tandem.fullname" .root }}
automountServiceAccountToken: false
# A Service called "tandem" would set TANDEM_PORT=tcp://… in every pod.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- $priority := .values.priorityClassName }}
{{- if and (not $priority) .root.Values.priorityClass.create }}
{{- $priority = include "tandem.fullname" .root }}
{{- end }}
{{- with $priority }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .root.Values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- $context := . }}
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $context.root.Values.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "tandem.selector" $context | nindent 8 }}
    {{- if has $context.component (list "gateway" "worker") }}
    matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Labels of a component's pods. Takes {root, component, values}. */}}
{{- define "tandem.podLabels" -}}
{{ include "tandem.labels" . }}
{{- with .values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The security context of every container. */}}
{{- define "tandem.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* A side-car's or service's own HTTP probes. Takes {path, port, scheme}. */}}
{{- define "tandem.httpGet" -}}
httpGet:
  path: {{ .path }}
  port: {{ .port }}
{{- end -}}
