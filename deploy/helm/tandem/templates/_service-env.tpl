{{/* Environment that gateway and worker have in common: where the engines are. Takes the root. */}}
{{- define "tandem.engineEnv" -}}
{{- if and .Values.nats.enabled (gt (int .Values.streams.replicas) (int .Values.nats.replicas)) -}}
{{- fail (printf "streams.replicas: %v copies need as many nodes, and nats.replicas is %v" .Values.streams.replicas .Values.nats.replicas) -}}
{{- end -}}
{{- $full := include "tandem.fullname" . -}}
{{- $keys := .Values.secrets.keys -}}
- name: TANDEM_NATS_URL
  {{- if .Values.nats.enabled }}
  {{- $urls := list }}
  {{- range $i := until (int .Values.nats.replicas) }}
  {{- $urls = append $urls (printf "nats://%s-nats-%d.%s-nats-nodes.%s.svc:4222" $full $i $full $.Release.Namespace) }}
  {{- end }}
  value: {{ join "," $urls | quote }}
- name: TANDEM_NATS_USER
  value: {{ .Values.nats.user | quote }}
- name: TANDEM_NATS_PASSWORD_FILE
  value: /etc/tandem/secrets/nats-password
  {{- else }}
  value: {{ join "," .Values.nats.external.urls | quote }}
  {{- with .Values.nats.external }}
  {{- if .existingSecret }}
- name: TANDEM_NATS_USER
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .userKey }}
- name: TANDEM_NATS_PASSWORD_FILE
  value: /etc/tandem/secrets/nats-password
  {{- end }}
  {{- end }}
  {{- end }}
{{- if .Values.valkey.enabled }}
- name: VALKEY_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.existingSecret }}
      key: {{ $keys.valkeyPassword }}
- name: TANDEM_REDIS_URL
  value: {{ printf "redis://default:$(VALKEY_PASSWORD)@%s-valkey.%s.svc:6379" $full .Release.Namespace | quote }}
{{- else }}
- name: TANDEM_REDIS_URL_FILE
  value: /etc/tandem/secrets/redis-url
{{- end }}
- name: TANDEM_STREAM_PAIRS
  value: {{ .Values.streams.pairs | quote }}
- name: TANDEM_REPLICAS
  value: {{ .Values.streams.replicas | default (ternary .Values.nats.replicas 3 .Values.nats.enabled) | quote }}
- name: TANDEM_STREAM_MAX_SIZE
  value: {{ .Values.streams.maxSize | quote }}
- name: TANDEM_STREAM_MAX_AGE
  value: {{ .Values.streams.maxAge | quote }}
- name: TANDEM_MODELS_FILE
  value: /etc/tandem/models/models.yaml
{{- if .Values.tracing.enabled }}
- name: TANDEM_TRACING
  value: "true"
- name: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  value: {{ .Values.tracing.endpoint | quote }}
{{- end }}
{{- if .Values.extraCaCertificates.existingSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/tandem/ca/ca.crt
{{- end }}
{{- end -}}

{{/* Secrets of the engines, as sources of a projected volume. Takes the root. */}}
{{- define "tandem.engineSecrets" -}}
{{- if .Values.nats.enabled }}
- secret:
    name: {{ .Values.secrets.existingSecret }}
    items:
      - {key: {{ .Values.secrets.keys.natsPassword }}, path: nats-password}
{{- else if .Values.nats.external.existingSecret }}
- secret:
    name: {{ .Values.nats.external.existingSecret }}
    items:
      - {key: {{ .Values.nats.external.passwordKey }}, path: nats-password}
{{- end }}
{{- if not .Values.valkey.enabled }}
- secret:
    name: {{ .Values.valkey.external.existingSecret }}
    items:
      - {key: {{ .Values.valkey.external.urlKey }}, path: redis-url}
{{- end }}
{{- end -}}

{{/* Mounts that gateway and worker have in common. Takes the root. */}}
{{- define "tandem.commonMounts" -}}
- name: models
  mountPath: /etc/tandem/models
  readOnly: true
- name: users
  mountPath: /etc/tandem/users
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- if .Values.extraCaCertificates.existingSecret }}
- name: ca
  mountPath: /etc/tandem/ca
  readOnly: true
{{- end }}
{{- end -}}

{{/* Their volumes. Takes the root. */}}
{{- define "tandem.commonVolumes" -}}
- name: models
  configMap:
    name: {{ include "tandem.fullname" . }}-models
- name: users
  {{- if .Values.secrets.keys.users }}
  secret:
    secretName: {{ .Values.secrets.existingSecret }}
    defaultMode: 0440
    items:
      - {key: {{ .Values.secrets.keys.users }}, path: users.yaml}
  {{- else }}
  configMap:
    name: {{ include "tandem.fullname" . }}-users
  {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .Values.extraCaCertificates.existingSecret }}
- name: ca
  secret:
    secretName: {{ .Values.extraCaCertificates.existingSecret }}
    items:
      - {key: {{ .Values.extraCaCertificates.key }}, path: ca.crt}
{{- end }}
{{- end -}}

{{/* The config maps as gateway and worker read them, for the checksum that rolls their pods. Takes the root. */}}
{{- define "tandem.modelsFile" -}}
{{- dict "models" .Values.models.catalogue | toYaml -}}
{{- end -}}
