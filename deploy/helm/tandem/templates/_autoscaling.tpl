{{/* What a component is scaled by besides CPU: its gauge. */}}
{{- define "tandem.scalingMetric" -}}
{{- ternary "tandem_gateway_streams_open" "tandem_turns_running" (eq . "gateway") -}}
{{- end -}}

{{/* Up at once, down one by one and not before the load has been low for a while. Takes the component's autoscaling. */}}
{{- define "tandem.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies:
    - {type: Percent, value: 100, periodSeconds: 30}
    - {type: Pods, value: 2, periodSeconds: 30}
  selectPolicy: Max
scaleDown:
  stabilizationWindowSeconds: {{ .scaleDownStabilizationSeconds }}
  policies:
    - {type: Pods, value: 1, periodSeconds: {{ .scaleDownPeriodSeconds }}}
  selectPolicy: Min
{{- end -}}

{{/* Fails with the value's path where two values together make no sense. Takes {component, scaling}. */}}
{{- define "tandem.checkScaling" -}}
{{- if gt (int .scaling.minReplicas) (int .scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling.minReplicas: %v is more than maxReplicas (%v)" .component .scaling.minReplicas .scaling.maxReplicas) -}}
{{- end -}}
{{- if not (or .scaling.targetCpuPercent .scaling.targetPerPod) -}}
{{- fail (printf "%s.autoscaling: targetCpuPercent and targetPerPod are both 0, so nothing would scale it" .component) -}}
{{- end -}}
{{- end -}}
