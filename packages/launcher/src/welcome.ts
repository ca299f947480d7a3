import type { LaunchScope } from "./services.ts";

/** A line of the table. */
interface Row {
  /** Name of the page, for people. */
  readonly what: string;
  /** Address of the page. */
  readonly where: string;
}

const rows: readonly Row[] = [
  { what: "Traces (web UI)", where: "http://localhost:8080/" },
  { what: "the same, without the front door", where: "http://localhost:16686/" },
  { what: "Spans: OTLP over HTTP", where: "http://localhost:4318/v1/traces" },
  { what: "Spans: OTLP over gRPC", where: "localhost:4317" },
  { what: "Spans: Jaeger clients, Thrift over UDP", where: "localhost:6831 compact, localhost:6832 binary" },
  { what: "Spans: Jaeger gRPC (PostSpans)", where: "localhost:14250" },
  { what: "Spans: Jaeger clients, Thrift over HTTP", where: "http://localhost:14268/api/traces" },
  { what: "Spans: Zipkin, versions 1 and 2", where: "http://localhost:9411/api/v2/spans" },
  { what: "Query API: HTTP, gRPC", where: "http://localhost:16686/api/ , localhost:16685" },
];

const serverRows: readonly Row[] = [
  { what: "Web server: console", where: "http://localhost:2019/ui/" },
  { what: "Web server: live configuration", where: "http://localhost:2019/config/" },
];

const storeRow = (clickhouse: string | undefined): Row =>
  clickhouse === undefined
    ? { what: "Store: ClickHouse HTTP protocol", where: "http://localhost:8123/" }
    : { what: "Store: ClickHouse", where: clickhouse };

/** First steps with traces, as a text for the terminal. */
const traceLines = (demo: boolean) => [
  demo
    ? "The example shop sends traces: open http://localhost:8080/ and press Search."
    : "Open http://localhost:8080/ : it waits for your first span.",
  "Send your own spans, from any OpenTelemetry SDK:",
  "",
  "  export OTEL_SERVICE_NAME=my-app OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318",
  "",
];

/** The text after a successful start: a table of addresses, and first things to try. */
export function welcome(
  { dataFolder, demo = false, serverOnly = false, clickhouse }: LaunchScope,
  startedInMs: number,
): string {
  const shown = serverOnly ? serverRows : [...rows, ...serverRows, storeRow(clickhouse)];
  const width = Math.max(...shown.map((row) => row.what.length));
  const rule = "─".repeat(width + 48);
  return [
    rule,
    `All processes are healthy after ${(startedInMs / 1000).toFixed(1)} s.`,
    "",
    ...shown.map((row) => `  ${row.what.padEnd(width)}   ${row.where}`),
    "",
    ...(serverOnly ? [] : traceLines(demo)),
    "Change the web server while it runs:",
    "",
    `  curl -X POST localhost:2019/config/apps/http/servers/hello -H 'Content-Type: application/json' \\`,
    `    -d '{"listen":[":8081"],"routes":[{"handle":[{"handler":"static_response","body":"hello"}]}]}'`,
    "  curl localhost:8081",
    "",
    `Data rests in ${dataFolder}. Ctrl-C stops everything.`,
    rule,
    "",
  ].join("\n");
}
