{{/*
What each controller must be told so that a stream flows: no buffering, no time limit below `streamSeconds`, bodies as
large as clients send (twice the largest message covers its encoding). Takes the root.
*/}}
{{- define "tandem.ingressAnnotations" -}}
{{- $seconds := .Values.ingress.streamSeconds -}}
{{- $tls := ne .Values.gateway.tls.existingSecret "" -}}
{{- $controller := .Values.ingress.controller -}}
{{- if eq $controller "ingress-nginx" }}
nginx.ingress.kubernetes.io/proxy-buffering: "off"
nginx.ingress.kubernetes.io/proxy-request-buffering: "off"
nginx.ingress.kubernetes.io/proxy-http-version: "1.1"
nginx.ingress.kubernetes.io/proxy-read-timeout: {{ $seconds | quote }}
nginx.ingress.kubernetes.io/proxy-send-timeout: {{ $seconds | quote }}
nginx.ingress.kubernetes.io/proxy-body-size: 64m
nginx.ingress.kubernetes.io/backend-protocol: {{ ternary "HTTPS" "HTTP" $tls | quote }}
{{- else if eq $controller "nginx-inc" }}
nginx.org/proxy-buffering: "False"
nginx.org/proxy-read-timeout: {{ printf "%vs" $seconds | quote }}
nginx.org/proxy-send-timeout: {{ printf "%vs" $seconds | quote }}
nginx.org/client-max-body-size: 64m
nginx.org/location-snippets: |
  proxy_request_buffering off;
{{- if $tls }}
nginx.org/ssl-services: {{ include "tandem.fullname" . }}-gateway
{{- end }}
{{- else if eq $controller "traefik" }}
traefik.ingress.kubernetes.io/router.entrypoints: {{ ternary "websecure" "web" (ne .Values.ingress.tls.secretName "") }}
{{- else if eq $controller "haproxy" }}
haproxy.org/timeout-server: {{ printf "%vs" $seconds | quote }}
haproxy.org/timeout-check: 5s
{{- if $tls }}
haproxy.org/server-ssl: "true"
{{- end }}
{{- else if eq $controller "haproxy-ingress" }}
haproxy-ingress.github.io/timeout-server: {{ printf "%vs" $seconds | quote }}
haproxy-ingress.github.io/timeout-client: {{ printf "%vs" $seconds | quote }}
haproxy-ingress.github.io/proxy-body-size: 64m
haproxy-ingress.github.io/backend-protocol: {{ ternary "h2-ssl" "h2" $tls | quote }}
{{- else if eq $controller "alb" }}
alb.ingress.kubernetes.io/target-type: ip
alb.ingress.kubernetes.io/backend-protocol: {{ ternary "HTTPS" "HTTP" $tls | quote }}
alb.ingress.kubernetes.io/load-balancer-attributes: idle_timeout.timeout_seconds={{ min (int $seconds) 4000 }}
alb.ingress.kubernetes.io/target-group-attributes: deregistration_delay.timeout_seconds={{ add .Values.gateway.preStopSeconds .Values.gateway.drainGraceSeconds .Values.gateway.stopMarginSeconds }},load_balancing.algorithm.type=least_outstanding_requests
alb.ingress.kubernetes.io/healthcheck-port: "9090"
alb.ingress.kubernetes.io/healthcheck-protocol: HTTP
alb.ingress.kubernetes.io/healthcheck-path: /readyz
alb.ingress.kubernetes.io/healthcheck-interval-seconds: "5"
alb.ingress.kubernetes.io/healthcheck-timeout-seconds: "3"
alb.ingress.kubernetes.io/healthy-threshold-count: "2"
alb.ingress.kubernetes.io/unhealthy-threshold-count: "2"
{{- else if eq $controller "contour" }}
projectcontour.io/response-timeout: infinity
projectcontour.io/num-retries: "0"
{{- end }}
{{- end -}}
