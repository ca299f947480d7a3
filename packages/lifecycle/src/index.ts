export { clickHouseOptions } from "./clickhouse/clickhouse-options.ts";
export { clickHouseServers } from "./clickhouse/clickhouse-servers.ts";
export { folderError, listenError, StartError } from "./errors.ts";
export type { Health } from "./health.ts";
export { httpServerFor } from "./http-server.ts";
export { createLogger, type Logger, type LogLevel } from "./logger.ts";
export { createMetrics } from "./metrics.ts";
export { bytes, commaList, duration, type HostPort, hostPort, parseHostPort } from "./options/fields.ts";
export { parseGoDuration } from "./options/go-duration.ts";

export { parseOptions } from "./options/parse-options.ts";
export { parseTags } from "./options/parse-tags.ts";
export { secretOf } from "./options/secret-of.ts";
export { activeSpan, startChild } from "./own-span.ts";
export type {
  ProcessCommand,
  ProcessContext,
  ProcessDefinition,
  RunningProcess,
} from "./process-definition.ts";
export { publicMetricName, withPublicMetricNames } from "./public-metric-names.ts";
export { runProcess } from "./run-process.ts";
export { exitCodes, StopRequest } from "./stop-request.ts";
export { StorageWatch } from "./storage-watch.ts";
export { type TenancyOptions, tenancyOptions } from "./tenancy/tenancy-options.ts";
export { TenantCheck, type TenantProblem, tenantProblemTexts } from "./tenancy/tenant-check.ts";
export { type ClientTls, type ClientTlsMaterial, openClientTls } from "./tls/client-tls.ts";
export { secureContextOptions } from "./tls/secure-context.ts";
export { sendRequest } from "./tls/send-request.ts";
export { openServerTls, type ServerTls } from "./tls/server-tls.ts";
export {
  clientTlsOptions,
  serverTlsOptions,
} from "./tls/tls-options.ts";
export { formatTraceContext } from "./trace-context.ts";
export { hasTracer, useTracer } from "./tracing/trace-requests.ts";
export { Tracer } from "./tracing/tracer.ts";
export { version } from "./version.ts";
