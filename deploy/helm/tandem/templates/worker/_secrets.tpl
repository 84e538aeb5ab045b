{{/* Secrets of a worker, as sources of a projected volume. Takes the root. */}}
{{- define "tandem.workerSecrets" -}}
{{ include "tandem.engineSecrets" . }}
{{- if .Values.blobCache.existingSecret }}
- secret:
    name: {{ .Values.blobCache.existingSecret }}
    items:
      - {key: {{ .Values.blobCache.key }}, path: blob-cache-url}
{{- end }}
{{- end -}}
