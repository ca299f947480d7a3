{{- define "server.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, by which pods are found. */}}
{{- define "server.selectorLabels" -}}
app.kubernetes.io/name: admin-server
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "server.labels" -}}
{{ include "server.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "server.image" -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- $name := .Values.image.name -}}
{{- if and .Values.image.registry (not (contains "/" $name)) -}}
{{- $name = printf "%s/%s" (trimSuffix "/" .Values.image.registry) $name -}}
{{- end -}}
{{- printf "%s%s%s" $name (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end -}}

{{- define "server.configurationFile" -}}
{{- ternary "config.json" "Serverfile" (eq .Values.configuration.format "json") -}}
{{- end -}}
