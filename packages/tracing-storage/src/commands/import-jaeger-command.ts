import {
  clientTlsOptions,
  createLogger,
  duration,
  openClientTls,
  type ProcessCommand,
  parseOptions,
  StartError,
  secretOf,
} from "lifecycle";
import { StorageError } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { openQuerySource, type QuerySource } from "storage/grpc";
import { z } from "zod";
import { type CopyCounts, copyTraces } from "../import/copy-traces.ts";
import { clusterOf, timeField } from "./delete-options.ts";
import { Progress } from "./progress.ts";
import { schemaOptions } from "./schema-options.ts";

const { database, cluster, replicated, user, password, "password-file": passwordFile } = schemaOptions.shape;

const options = z.object({
  url: schemaOptions.shape.url.describe("Servers that take the spans; of a cluster all of them."),
  ...{ database, cluster, replicated, user, password, "password-file": passwordFile },
  from: timeField.describe("Traces that begin at this time, in UTC, or later.").meta({ placeholder: "time" }),
  to: timeField.describe("Traces that begin before this time; now by default.").meta({ placeholder: "time" }),
  slice: duration("1h").describe("Time that is searched at once."),
  "max-traces": z
    .number()
    .int()
    .min(10)
    .max(10_000)
    .default(2_000)
    .describe("Limit of one search; a search with as many spans of its service is cut in two."),
  tenant: z
    .string()
    .default("")
    .describe("Tenant whose traces are read there, and that has them here; empty: no tenants."),
  ...clientTlsOptions("jaeger"),
});

type ImportOptions = z.infer<typeof options>;

const nanosPerMs = 1_000_000n;
const timeText = (nano: bigint) => new Date(Number(nano / nanosPerMs)).toISOString();
const sumText = ({ traces, spans }: CopyCounts) => `${traces} traces with ${spans} spans`;

/** `import-jaeger host:port`: copies stored traces out of a running Jaeger. */
export const importJaegerCommand: ProcessCommand = {
  name: "import-jaeger",
  meaning:
    "Copy the traces of a running Jaeger, from whatever store it has: import-jaeger HOST:16685 --from TIME [--to TIME] --url URL,….",
  operands: "HOST:PORT",
  options,
  async run(args) {
    const [server, ...rest] = args;
    if (server === undefined || server.startsWith("-")) {
      throw new StartError(
        "import-jaeger: name the gRPC port of Jaeger's query service first: import-jaeger jaeger:16685",
      );
    }
    const parsed = parseOptions(options, { arguments: rest, environment: {} }).options;
    if (parsed.url.length === 0 || parsed.from === undefined) {
      throw new StartError("import-jaeger: name the store with --url, and the first day with --from");
    }
    const log = createLogger({ name: "import-jaeger", level: "warn", encoding: "auto" });
    const source = openQuerySource({
      server,
      tls: openClientTls(parsed, "jaeger", log),
      tenant: parsed.tenant,
    });
    try {
      return await importFrom(source, parsed, parsed.from);
    } finally {
      source.close();
    }
  },
};

/** @throws StartError with the time from which to go on, when the copy cannot be finished */
async function importFrom(source: QuerySource, parsed: ImportOptions, from: bigint): Promise<number> {
  const { url: urls, user: name, database: into, tenant } = parsed;
  const store = openClickHouseStore({
    ...{ urls, user: name, password: secretOf(parsed, "password"), database: into },
    cluster: clusterOf(parsed),
  });
  const progress = new Progress();
  let done = from;
  let counted: CopyCounts = { traces: 0, spans: 0, searches: 0 };
  try {
    await store.ready();
    const range = {
      ...{ fromUnixNano: from, toUnixNano: parsed.to ?? BigInt(Date.now()) * nanosPerMs, tenant },
      ...{ sliceNano: BigInt(parsed.slice) * nanosPerMs, maxTraces: parsed["max-traces"] },
    };
    await copyTraces(source, store.writer, range, (counts, doneUnixNano) => {
      done = doneUnixNano;
      counted = { ...counts };
      progress.show(() => `${timeText(done)}: ${sumText(counts)}`);
    });
  } catch (error) {
    if (!(error instanceof StorageError) && !(error instanceof StartError)) {
      throw error;
    }
    throw new StartError(
      `${error.message.replace(/^(?!import-jaeger: )/, "import-jaeger: ")}; ${sumText(counted)} are stored: go on with --from ${timeText(done)}`,
      { cause: error },
    );
  } finally {
    progress.end();
    await store.close();
  }
  process.stdout.write(`${sumText(counted)}, in ${counted.searches} searches\n`);
  return 0;
}
