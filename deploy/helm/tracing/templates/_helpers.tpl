{{/*
What begins all names: the release, with the chart's name where the release has another. Names of Services know no dots and begin
with a letter, which names of releases need not; and long ones that begin alike stay different.
*/}}
{{- define "tracing.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- $name := default $whole .Values.fullnameOverride | lower | replace "." "-" | replace "_" "-" -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- $name = printf "%s-%s" .Chart.Name $name -}}
{{- end -}}
{{- if gt (len $name) 40 -}}
{{- $name = printf "%s-%s" ($name | trunc 33) (sha256sum $name | trunc 6) -}}
{{- end -}}
{{- trimSuffix "-" $name -}}
{{- end -}}

{{/* Labels that never change, by which pods are found. Takes (dict "root" $ "process" "tracing-query"). */}}
{{- define "tracing.selectorLabels" -}}
app.kubernetes.io/name: {{ .process }}
app.kubernetes.io/instance: {{ toYaml .root.Release.Name }}
{{- end -}}

{{/*
Each name once, for some readers of YAML refuse it twice. Labels of the user come before those of Helm, but not before those by which
pods are found. "more", where it is there, has labels of pods.
*/}}
{{- define "tracing.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 -}}
{{- $ofHelm := dict "app.kubernetes.io/version" .root.Chart.AppVersion "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" (regexReplaceAll "[^A-Za-z0-9]+$" $chart "") -}}
{{- $fixed := merge (include "tracing.selectorLabels" . | fromYaml) (dict "app.kubernetes.io/part-of" "tracing") -}}
{{ mergeOverwrite $ofHelm .root.Values.commonLabels (default (dict) .more) $fixed | toYaml }}
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
  {{- include "tracing.labels" (dict "root" .root "process" .process "more" .root.Values.podLabels) | nindent 2 }}
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
{{- with include "tracing.serviceAccountName" .root }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .values.priorityClassName }}
priorityClassName: {{ toYaml . }}
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

{{/* The account of all pods; nothing where it is the namespace's own. Takes the root. */}}
{{- define "tracing.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- toYaml .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "tracing.fullname" . -}}
{{- end -}}
{{- end -}}

{{/* Pods of one kind spread over nodes. Takes root, process and values; a constraint counts the pods of its process. */}}
{{- define "tracing.spread" -}}
{{- $selector := dict "matchLabels" (include "tracing.selectorLabels" . | fromYaml) -}}
{{- with .values.topologySpreadConstraints -}}
topologySpreadConstraints:
  {{- range . }}
  {{- $constraint := deepCopy . }}
  {{- if not (hasKey . "labelSelector") }}
  {{- $_ := set $constraint "labelSelector" $selector }}
  {{- end }}
  - {{ toYaml $constraint | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Variables of a container, each once: those of the user in place of ours. Takes own (text) and values. */}}
{{- define "tracing.env" -}}
{{- $extra := .values.extraEnv -}}
{{- $taken := dict -}}
{{- range $extra }}{{ $_ := set $taken .name true }}{{ end -}}
{{- $env := list -}}
{{- range fromYamlArray .own }}{{ if not (hasKey $taken .name) }}{{ $env = append $env . }}{{ end }}{{ end -}}
{{- with concat $env $extra -}}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
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
    storageClassName: {{ toYaml .storageClass }}
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
  valueFrom: { secretKeyRef: { name: {{ toYaml .existingSecret }}, key: {{ toYaml .userKey }} } }
{{- end }}
- name: CLICKHOUSE_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ toYaml .existingSecret }}, key: {{ toYaml .passwordKey }} } }
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

{{- define "tracing.agentEnv" -}}
- { name: REPORTER_GRPC_HOST_PORT, value: {{ include "tracing.collectorsGrpc" . | quote }} }
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
  {{- include "tracing.env" (dict "own" (include "tracing.agentEnv" .) "values" .Values.agent) | nindent 2 }}
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
