import { bytes, commaList, duration, hostPort, serverTlsOptions, tenancyOptions } from "lifecycle";
import { storeOptions } from "trace-store";
import { z } from "zod";
import { headerLines } from "./header-lines.ts";
import { metricPushOptions } from "./metric-push/push-options.ts";
import { prometheusOptions } from "./prometheus/prometheus-options.ts";

/** "/" or a path such as "/tracing/ui". Jaeger refuses a slash at the end too. */
function isBasePath(path: string): boolean {
  return path === "/" || (path.startsWith("/") && !path.endsWith("/"));
}

/** Option of a limit. The value 0 means "no limit", as in Jaeger. */
function limit(defaultValue: number) {
  return z.number().int().min(0).default(defaultValue);
}

/**
 * Options of `tracing-query`. An option that Jaeger has too keeps Jaeger's name. `--help` and the page of options show
 * each option's text. The groups:
 *
 * - `query.http-server`, `query.grpc-server`: listeners and their certificates
 * - `query.max-…`: limits, mostly of requests; the error of a refused request names the option
 * - `query.…-file`, `query.views-dir`: files that people edit, and files that this process keeps
 * - `query.mcp`: tools for assistants
 * - `prometheus`, `multi-tenancy`: metrics from a Prometheus, and tenants
 */
export const queryOptions = z.object({
  ...storeOptions("Where spans rest; grpc is a remote storage, memory this process's own and starts empty."),
  "query.http-server.host-port": hostPort(":16686").describe("Address of the HTTP API and the UI."),
  ...serverTlsOptions("query.http"),
  "query.grpc-server.host-port": hostPort(":16685").describe("Address of the gRPC API."),
  ...serverTlsOptions("query.grpc"),
  "query.base-path": z
    .string()
    .refine(isBasePath, {
      error: ({ input }) =>
        `invalid base path '${input}'. Must start but not end with a slash '/', e.g. '/tracing/ui'`,
    })
    .default("/")
    .describe("Path under which everything is served; for a proxy in front.")
    .meta({ placeholder: "path" }),
  "query.static-files": z
    .string()
    .default("")
    .describe("Folder with a UI's index.html and its folder static; the built-in UI when empty.")
    .meta({ placeholder: "path" }),
  "query.ui-config": z
    .string()
    .default("")
    .describe("File with the UI's configuration, .json or .js.")
    .meta({ placeholder: "path" }),
  "query.model-prices-file": z
    .string()
    .default("")
    .describe("File with prices of models for the UI's conversations, JSON; without it no model has a price.")
    .meta({ placeholder: "path" }),
  "query.objectives-file": z
    .string()
    .default("")
    .describe(
      "File of objectives of spans and where their alerts go, YAML or JSON; without it none are counted.",
    )
    .meta({ placeholder: "path" }),
  "query.max-clock-skew-adjustment": duration("0s").describe(
    "Largest difference between clocks that is corrected in the traces shown; 0 corrects none.",
  ),
  "query.log-static-assets-access": z
    .boolean()
    .default(false)
    .describe("Log each request for the UI's page and its files."),
  "query.additional-headers": headerLines().describe(
    'Header "Key: Value" of every answer over HTTP; the option may be given several times.',
  ),
  "query.bearer-token-propagation": z
    .boolean()
    .default(false)
    .describe("Hand the client's bearer token on to a remote storage and to Prometheus."),
  "query.enable-tracing": z
    .boolean()
    .default(false)
    .describe("Send spans of this process's own requests over HTTP where OTEL_EXPORTER_OTLP_ENDPOINT says."),
  "query.max-traces": limit(0).describe(
    "Most traces that a search may ask for; 0: any number, as in the public model.",
  ),
  "query.max-spans": limit(1_000_000).describe("Most spans that one answer may hold; 0: any number."),
  "query.max-read-size": bytes("256MiB").describe(
    "Most bytes of rows that one request may read from the store, however few spans they are; an answer of more is an error.",
  ),
  "query.max-answer-size": bytes("32MiB").describe(
    "Largest answer to a TraceQL query, about, as JSON; values that by() and select() repeat are counted each time; 0: any.",
  ),
  "query.max-time-range": duration("0s").describe(
    "Longest time that a search may span; 0s: any, as in the public model.",
  ),
  "query.max-concurrent-reads": z
    .number()
    .int()
    .min(1)
    .default(4)
    .describe(
      "Requests that may hold traces in memory, or read dependencies, attributes or metrics, at a time; others wait. No tenant gets the last place beside its other requests.",
    ),
  "query.max-concurrent-trace-reads": z
    .number()
    .int()
    .min(1)
    .default(4)
    .describe(
      "As --query.max-concurrent-reads, for a trace by its id, and names of services and operations that are not in memory: they wait for no search.",
    ),
  "query.max-waiting-reads": z
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe("Requests that may wait for either; more are refused with 503."),
  "query.max-tail-clients": limit(100).describe(
    "Clients that may follow spans as they arrive at a time; 0: any number.",
  ),
  "query.names-max-age": duration("1s").describe(
    "How old names of services and operations may be that are given from memory; 0s: the store is always asked.",
  ),
  "query.views-dir": z
    .string()
    .default("")
    .describe(
      "Folder for saved views, short links and notes; several processes may share it. Empty: none are kept.",
    )
    .meta({ placeholder: "path" }),
  "query.mcp.enabled": z
    .boolean()
    .default(false)
    .describe("Answer assistants at /mcp: Model Context Protocol over streamable HTTP, for reading only."),
  "query.mcp.allowed-origins": commaList().describe(
    "Web pages that may ask /mcp, as https://host:port, beside those of this machine; * allows all.",
  ),
  "query.access-file": z
    .string()
    .default("")
    .describe(
      "File of roles, tokens and marked attributes, YAML or JSON; without it everybody may read everything.",
    )
    .meta({ placeholder: "path" }),
  "query.deletion.audit-file": z
    .string()
    .default("")
    .describe(
      "File to which each deletion is written; with it, who has the right may-delete of --query.access-file may delete spans.",
    )
    .meta({ placeholder: "path" }),
  "query.usage.enabled": z
    .boolean()
    .default(false)
    .describe("Count what is searched for, and tell who sends how much at /api/analysis/v1/usage."),
  "query.max-upload-size": bytes("64MiB").describe("Largest body of POST /api/transform."),
  ...metricPushOptions(),
  ...prometheusOptions(),
  ...tenancyOptions(),
});

export type QueryOptions = z.infer<typeof queryOptions>;
