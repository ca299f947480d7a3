{{/*
The release, with the chart's name where the release has another. Names of Services know no dots and begin with a letter, which
names of releases need not; and long ones that begin alike stay different.
*/}}
{{- define "server.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- $name := default $whole .Values.fullnameOverride | lower | replace "." "-" | replace "_" "-" -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- $name = printf "%s-%s" .Chart.Name $name -}}
{{- end -}}
{{- if gt (len $name) 50 -}}
{{- $name = printf "%s-%s" ($name | trunc 43) (sha256sum $name | trunc 6) -}}
{{- end -}}
{{- trimSuffix "-" $name -}}
{{- end -}}

{{/* Labels that never change, by which pods are found. */}}
{{- define "server.selectorLabels" -}}
app.kubernetes.io/name: admin-server
app.kubernetes.io/instance: {{ toYaml .Release.Name }}
{{- end -}}

{{/*
Each name once, for some readers of YAML refuse it twice. Labels of the user come before those of Helm, but not before those by which
pods are found. Takes (dict "root" $ "more" labels of pods).
*/}}
{{- define "server.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 -}}
{{- $ofHelm := dict "app.kubernetes.io/version" .root.Chart.AppVersion "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" (regexReplaceAll "[^A-Za-z0-9]+$" $chart "") -}}
{{ mergeOverwrite $ofHelm .root.Values.commonLabels (default (dict) .more) (include "server.selectorLabels" .root | fromYaml) | toYaml }}
{{- end -}}

{{- define "server.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- toYaml .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "server.fullname" . -}}
{{- end -}}
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
