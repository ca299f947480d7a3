import { ingest, type NamedPid } from "../e2e/ingest.ts";
import { type IngestReport, lostSpans } from "../e2e/ingest-report.ts";
import { ClickhouseStore } from "../e2e/measure/clickhouse-store.ts";
import { MetricsStore } from "../e2e/measure/metrics-store.ts";
import type { SpanStore } from "../e2e/measure/span-store.ts";
import { ingestFigures } from "../report/ingest-figures.ts";
import { machineLine, reasonLines } from "../report/notes.ts";
import { renderTable } from "../report/table.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";
import { loadOptions, loadSettings } from "./load-options.ts";

const options = {
  protocol: { value: "grpc|http", text: "OTLP over gRPC or over HTTP with protobuf", fallback: "grpc" },
  endpoint: {
    value: "ADDRESS",
    text: "host:port for gRPC, base URL for HTTP (default 127.0.0.1:4317 or :4318)",
  },
  duration: { value: "TIME", text: "send for so long (default 20s unless --total is given)" },
  total: { value: "N", text: "send so many spans" },
  pid: {
    value: "NAME=PID",
    text: "a process under test: its CPU and RSS, children included",
    multiple: true,
  },
  store: { value: "URL", text: "ClickHouse HTTP address; counts what is stored, and bytes a span" },
  "store-metrics": { value: "URL", text: "instead: metrics page of the public model's collector" },
  "store-folder": { value: "PATH", text: "with --store-metrics: its data folder, for bytes a span" },
  ...loadOptions,
} as const satisfies OptionSpecs;

export const ingestHelp = `Sends spans to a running collector and measures what becomes of them.

Usage: npm run bench -- ingest [options]

${optionHelp(options)}
Exit code 1 when acknowledged spans are not in the store, or nothing was accepted.
`;

/** `bench ingest`. @returns the exit code */
export async function ingestCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(ingestHelp);
    return 0;
  }
  const protocol = args.choice("protocol", ["grpc", "http"]);
  const report = await ingest(
    loadSettings(args)({
      protocol,
      endpoint: endpointOf(args.text("endpoint"), protocol),
      ...endOf(args),
      processes: args.list("pid").map(namedPid),
      store: storeOf(args),
    }),
    signal,
  );
  process.stdout.write(args.has("json") ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
  return lostSpans(report) || report.load.spans.accepted === 0 ? 1 : 0;
}

function describe(report: IngestReport): string {
  const title = report.protocol === "grpc" ? "OTLP gRPC" : "OTLP HTTP";
  return [
    renderTable([{ title, figures: ingestFigures(report) }]),
    ...reasonLines(title, report),
    machineLine(report.machine),
  ].join("");
}

type IngestArguments = Arguments<keyof typeof options>;

function endpointOf(text: string, protocol: "grpc" | "http"): string {
  if (protocol === "grpc") {
    return text === "" ? "127.0.0.1:4317" : text;
  }
  const url = text === "" ? "http://127.0.0.1:4318" : text;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--endpoint "${url}" is not a base URL such as http://127.0.0.1:4318`);
  }
  return url;
}

function endOf(args: IngestArguments): { durationMs?: number; totalSpans?: number } {
  if (args.has("total")) {
    if (args.has("duration")) {
      throw new UsageError("--total and --duration exclude each other");
    }
    return { totalSpans: args.integer("total", 1, 1e12) };
  }
  return { durationMs: args.has("duration") ? args.durationMs("duration") : 20_000 };
}

function storeOf(args: IngestArguments): SpanStore | undefined {
  if (args.has("store")) {
    return new ClickhouseStore(args.text("store"));
  }
  if (!args.has("store-metrics")) {
    return undefined;
  }
  return new MetricsStore(args.text("store-metrics"), args.text("store-folder") || undefined);
}

function namedPid(text: string): NamedPid {
  const [, name, pid] = /^(.+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new UsageError(`--pid "${text}" is not NAME=PID`);
  }
  return { name, pid: Number(pid) };
}
