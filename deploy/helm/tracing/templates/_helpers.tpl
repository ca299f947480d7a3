{{/* What begins all names: the release, with the chart's name where the release has another. */}}
{{- define "tracing.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, by which pods are found. Takes (dict "root" $ "process" "tracing-query"). */}}
{{- define "tracing.selectorLabels" -}}
app.kubernetes.io/name: {{ .process }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{- define "tracing.labels" -}}
{{ include "tracing.selectorLabels" . }}
app.kubernetes.io/part-of: tracing
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Takes (dict "root" $ "image" .Values.query.image). */}}
{{- define "tracing.image" -}}
{{- $tag := coalesce .image.tag .root.Values.image.tag .root.Chart.AppVersion -}}
{{- $name := .image.name -}}
{{- if and .root.Values.image.registry (not (contains "/" $name)) -}}
{{- $name = printf "%s/%s" (trimSuffix "/" .root.Values.image.registry) $name -}}
{{- end -}}
{{- if hasPrefix "sha256:" $tag -}}
{{- printf "%s@%s" $name $tag -}}
{{- else -}}
{{- printf "%s:%s" $name $tag -}}
{{- end -}}
{{- end -}}

{{/* Labels and annotations of a pod. Takes root, process, port (of metrics) and annotations. */}}
{{- define "tracing.podMetadata" -}}
labels:
  {{- include "tracing.labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $annotations := merge (dict) (default (dict) .annotations) .root.Values.podAnnotations }}
{{- if and .root.Values.scrapeAnnotations .port }}
{{- $annotations = merge $annotations (dict "prometheus.io/scrape" "true" "prometheus.io/port" (toString .port)) }}
{{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What the pods of all processes say first. Takes root and values (those of the process). */}}
{{- define "tracing.podBase" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 30
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Pods of one kind spread over nodes. Takes root and process. */}}
{{- define "tracing.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "tracing.selectorLabels" . | nindent 8 }}
{{- end -}}

{{- define "tracing.noRights" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* A store that is away must not have a process restarted: life asks for nothing else, readiness does. */}}
{{- define "tracing.probes" -}}
readinessProbe:
  httpGet: { path: /, port: admin }
  periodSeconds: 5
  timeoutSeconds: 5
livenessProbe:
  httpGet: { path: /version, port: admin }
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 6
{{- end -}}

{{/* Image, arguments of the user, resources. Takes root and values. */}}
{{- define "tracing.containerBase" -}}
image: {{ include "tracing.image" (dict "root" .root "image" .values.image) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end -}}

{{- define "tracing.tmpVolume" -}}
- name: tmp
  emptyDir: { medium: Memory, sizeLimit: 64Mi }
{{- end -}}

{{/* The volume of a StatefulSet. Takes root, size, storageClass, accessModes and annotations. */}}
{{- define "tracing.volumeClaim" -}}
- metadata:
    name: data
    {{- with .annotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    accessModes: {{ toJson (default (list "ReadWriteOnce") .accessModes) }}
    {{- if eq .storageClass "-" }}
    storageClassName: ""
    {{- else if .storageClass }}
    storageClassName: {{ .storageClass }}
    {{- end }}
    resources:
      requests: { storage: {{ .size }} }
{{- end -}}

{{/* How collector and query reach the store. */}}
{{- define "tracing.storeEnv" -}}
{{- if .Values.storage.enabled -}}
- { name: CLICKHOUSE_URL, value: "http://{{ include "tracing.fullname" . }}-storage:8123" }
{{- else -}}
{{- with .Values.clickhouse -}}
- { name: CLICKHOUSE_URL, value: {{ required "clickhouse.url: where is the ClickHouse? storage.enabled is false" .url | quote }} }
- { name: CLICKHOUSE_DATABASE, value: {{ .database | quote }} }
{{- if .cluster }}
- { name: CLICKHOUSE_CLUSTER, value: {{ .cluster | quote }} }
{{- end }}
{{- if .existingSecret }}
{{- if .userKey }}
- name: CLICKHOUSE_USER
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .userKey }} } }
{{- end }}
- name: CLICKHOUSE_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .passwordKey }} } }
{{- end }}
{{- if .user }}
- { name: CLICKHOUSE_USER, value: {{ .user | quote }} }
{{- end }}
{{- if .tls.enabled }}
- { name: CLICKHOUSE_TLS_ENABLED, value: "true" }
{{- if .tls.caSecret }}
- { name: CLICKHOUSE_TLS_CA, value: /etc/clickhouse-tls/ca.crt }
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tracing.storeHasCa" -}}
{{- if and (not .Values.storage.enabled) .Values.clickhouse.tls.enabled .Values.clickhouse.tls.caSecret }}yes{{ end -}}
{{- end -}}

{{/* Where agents find collectors: gRPC balances over all pods by itself. Takes the root; the namespace, because agents may live in another. */}}
{{- define "tracing.collectorsGrpc" -}}
dns:///{{ include "tracing.fullname" . }}-collector-pods.{{ .Release.Namespace }}.svc:14250
{{- end -}}

{{/* An agent beside a program, for the initContainers of its pod: both have one address, so a client's default, localhost, is right. */}}
{{- define "tracing.agentSidecar" -}}
- name: tracing-agent
  image: {{ include "tracing.image" (dict "root" . "image" .Values.agent.image) }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  # An init container that stays is there before the program, and until after its end.
  restartPolicy: Always
  {{- with .Values.agent.extraArgs }}
  args: {{ toJson . }}
  {{- end }}
  env:
    - { name: REPORTER_GRPC_HOST_PORT, value: {{ include "tracing.collectorsGrpc" . | quote }} }
    {{- with .Values.agent.extraEnv }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  startupProbe:
    httpGet: { path: /, port: 14271 }
    periodSeconds: 1
    failureThreshold: 60
  {{- include "tracing.noRights" . | nindent 2 }}
  resources:
    {{- toYaml .Values.agent.resources | nindent 4 }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
{{- end -}}

{{/* The way of collector and query to the store, for their NetworkPolicies. */}}
{{- define "tracing.storeEgress" -}}
{{- if .Values.storage.enabled -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "tracing.selectorLabels" (dict "root" . "process" "tracing-storage") | nindent 10 }}
  ports:
    - { port: clickhouse }
{{- else -}}
# Wherever the ClickHouse is.
- ports:
    {{- range .Values.clickhouse.ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
{{- end -}}
{{- end -}}
