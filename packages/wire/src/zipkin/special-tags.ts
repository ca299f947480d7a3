import { KeyTable } from "./key-table.ts";

/**
 * Keys that describe the process instead of the span: OpenTelemetry's resource conventions as of 1.6.1, and three keys
 * of OpenCensus. Exporters to Zipkin copy a resource into the tags of each span. This conversion moves these tags back
 * into the resource. Source: opentelemetry-collector-contrib pkg/translator/zipkin 0.111, as used by Jaeger 1.62.
 */
const resourceKeys = [
  ...["cloud.provider", "cloud.account.id", "cloud.region", "cloud.availability_zone", "cloud.platform"],
  ...["aws.ecs.container.arn", "aws.ecs.cluster.arn", "aws.ecs.launchtype", "aws.ecs.task.arn"],
  ...["aws.ecs.task.family", "aws.ecs.task.revision", "aws.eks.cluster.arn", "aws.log.group.names"],
  ...["aws.log.group.arns", "aws.log.stream.names", "aws.log.stream.arns", "container.name", "container.id"],
  ...["container.runtime", "container.image.name", "container.image.tag", "deployment.environment"],
  ...["device.id", "device.model.identifier", "device.model.name", "faas.name", "faas.id", "faas.version"],
  ...["faas.instance", "faas.max_memory", "host.id", "host.name", "host.type", "host.arch"],
  ...["host.image.name", "host.image.id", "host.image.version", "k8s.cluster.name", "k8s.node.name"],
  ...["k8s.node.uid", "k8s.namespace.name", "k8s.pod.uid", "k8s.pod.name", "k8s.container.name"],
  ...["k8s.replicaset.uid", "k8s.replicaset.name", "k8s.deployment.uid", "k8s.deployment.name"],
  ...["k8s.statefulset.uid", "k8s.statefulset.name", "k8s.daemonset.uid", "k8s.daemonset.name"],
  ...["k8s.job.uid", "k8s.job.name", "k8s.cronjob.uid", "k8s.cronjob.name", "os.type", "os.description"],
  ...["os.name", "os.version", "process.pid", "process.executable.name", "process.executable.path"],
  ...["process.command", "process.command_line", "process.command_args", "process.owner"],
  ...["process.runtime.name", "process.runtime.version", "process.runtime.description"],
  ...["service.namespace", "service.instance.id", "service.version", "telemetry.sdk.name"],
  ...["telemetry.sdk.language", "telemetry.sdk.version", "telemetry.auto.version", "webengine.name"],
  ...["webengine.version", "webengine.description"],
  ...["opencensus.starttime", "opencensus.exporterversion", "opencensus.resourcetype"],
];

/** Numbers of tags that do not become plain attributes, and of attributes that an endpoint may set. */
export const specialTags = {
  serviceName: 0,
  serviceNameSource: 1,
  libraryName: 2,
  libraryVersion: 3,
  spanKind: 4,
  error: 5,
  traceState: 6,
  statusCode: 7,
  statusDescription: 8,
  hostIp: 9,
  hostPort: 10,
  peerService: 11,
  peerIp: 12,
  peerPort: 13,
  startTimeAbsent: 14,
  /** First number of the tags that describe the resource; all higher numbers describe the resource, too. */
  resource: 15,
} as const;

/** Keys of `specialTags`, by number. */
export const specialTagKeys = [
  "service.name",
  "otlp.service.name.source",
  "otel.library.name",
  "otel.library.version",
  "span.kind",
  "error",
  "w3c.tracestate",
  "otel.status_code",
  "otel.status_description",
  "net.host.ip",
  "net.host.port",
  "peer.service",
  "net.peer.ip",
  "net.peer.port",
  "otel.zipkin.absentField.startTime",
] as const;

/** Finds the number of a tag's key, as in `specialTags`. */
export const specialTagTable = new KeyTable([...specialTagKeys, ...resourceKeys]);

/** Prefix of the tags `otlp.link.0`, `otlp.link.1` and so on. Each of these tags has one link of the span. */
export const linkTagPrefix = "otlp.link.";

/** Maximum number of links that are read from the tags of one span. */
export const maxLinks = 128;
