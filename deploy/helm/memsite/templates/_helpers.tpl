{{- define "memsite.labels" -}}
app.kubernetes.io/name: memsite
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "memsite.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* What every container of the image has, but its name, command and probes. */}}
{{- define "memsite.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  {{- range $name, $value := .Values.settings }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
{{- if .Values.existingSecret }}
envFrom: [{secretRef: {name: {{ .Values.existingSecret }}}}]
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "memsite.probes" -}}
ports: [{name: http, containerPort: 8000}]
startupProbe: {httpGet: {path: /readyz, port: http}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 120}
readinessProbe: {httpGet: {path: /readyz, port: http}, periodSeconds: 10, timeoutSeconds: 5}
livenessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 6}
{{- end }}
