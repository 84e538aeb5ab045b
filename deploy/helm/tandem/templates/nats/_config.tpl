{{/*
The servers' configuration. `$NAME` is read from the environment by the server itself, as a value of this syntax: the
stateful set puts quotes around what comes from a Secret. Takes the root.
*/}}
{{- define "tandem.natsConfig" -}}
{{- $full := include "tandem.fullname" . -}}
{{- $nats := .Values.nats -}}
server_name: $SERVER_NAME
listen: 0.0.0.0:4222
http: 0.0.0.0:8222
pid_file: /run/nats/nats.pid
max_payload: {{ $nats.maxPayload }}
# A client that does not keep up is let go, and catches up from the log.
max_pending: 64MB
write_deadline: "10s"
lame_duck_grace_period: "5s"
lame_duck_duration: "30s"
authorization {
  user: {{ $nats.user | quote }}
  password: $NATS_PASSWORD
  timeout: 5
}
jetstream {
  store_dir: /data
  max_memory_store: 64MB
  max_file_store: {{ $nats.storage.fileLimit }}
  sync_interval: {{ ternary "always" "2m" $nats.syncAlways }}
  {{- if $nats.encryption.enabled }}
  cipher: {{ $nats.encryption.cipher }}
  key: $JETSTREAM_KEY
  {{- end }}
}
{{- if gt (int $nats.replicas) 1 }}
cluster {
  name: {{ $full }}
  listen: 0.0.0.0:6222
  no_advertise: true
  authorization {
    user: {{ $nats.user | quote }}
    password: $NATS_PASSWORD
    timeout: 5
  }
  routes: [
    {{- range $i := until (int $nats.replicas) }}
    $NATS_ROUTE_{{ $i }}
    {{- end }}
  ]
}
{{- end }}
{{- end -}}
