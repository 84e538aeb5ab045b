{{/* The server's configuration; the password is an argument. Takes the root. */}}
{{- define "tandem.valkeyConfig" -}}
port 6379
dir /data
# Jobs must not be lost: kept on disk, never evicted.
appendonly yes
appendfsync {{ .Values.valkey.appendFsync }}
aof-use-rdb-preamble yes
save ""
maxmemory {{ .Values.valkey.maxMemory }}
maxmemory-policy noeviction
# A script that hangs must not stop leases for long.
busy-reply-threshold 1000
tcp-keepalive 60
timeout 0
{{- end -}}
