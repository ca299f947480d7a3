import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { ask } from "../tracing-api/ask.ts";
import { builtPeersFolder } from "../tracing-api/comparison/public-model.ts";

/** A process under comparison: it receives spans and answers questions. */
export interface TempoBackend {
  readonly name: string;
  /** Address of OTLP over HTTP. */
  readonly otlpHttp: string;
  /** Address in front of `/api/search`. */
  readonly tempo: string;
  /** Address of `tempopb.StreamingQuerier`, host:port. */
  readonly grpc: string;
  /** Makes sent spans searchable; absent when this happens without a call. */
  flush?(): Promise<unknown>;
  close(): Promise<void>;
}

const program = "tempo";

/**
 * Path of Grafana Tempo's program.
 * @param peer path of the program or its folder; by default the folder in `PEERS`, otherwise the folder where peers are
 * built
 * @returns undefined when there is no such program
 */
export function findTempo(peer = process.env.PEERS): string | undefined {
  const found = peer ?? builtPeersFolder;
  const inFolder = join(found, program);
  if (existsSync(inFolder)) {
    return inFolder;
  }
  return found.endsWith(program) && existsSync(found) ? found : undefined;
}

/**
 * The config of one Tempo process with local files, which listens only on loopback and sends no usage reports. Spans
 * are cut into blocks immediately, and metrics are read from a store that has all kinds of spans of the last hours.
 */
function configText(folder: string, [http, grpc, otlp, members]: readonly string[]): string {
  const port = (address = "") => Number(address.split(":")[1]);
  const inMemory = { kvstore: { store: "inmemory" }, instance_addr: "127.0.0.1" };
  return JSON.stringify({
    stream_over_http_enabled: true,
    usage_report: { reporting_enabled: false },
    memberlist: { bind_addr: ["127.0.0.1"], bind_port: port(members) },
    server: {
      ...{ http_listen_address: "127.0.0.1", http_listen_port: port(http) },
      ...{ grpc_listen_address: "127.0.0.1", grpc_listen_port: port(grpc) },
      log_level: "warn",
    },
    distributor: {
      ring: inMemory,
      receivers: { otlp: { protocols: { http: { endpoint: otlp } } } },
    },
    ingester: {
      lifecycler: {
        ring: { kvstore: { store: "inmemory" }, replication_factor: 1 },
        ...{ address: "127.0.0.1", min_ready_duration: "0s", final_sleep: "0s" },
      },
      partition_ring: { kvstore: { store: "inmemory" } },
      // No flush happens during the questions, because a search that holds a lock and a block that waits for it would
      // stop all other searches. `flush` causes one flush.
      flush_check_period: "24h",
    },
    compactor: { ring: inMemory },
    metrics_generator: {
      ring: inMemory,
      storage: { path: join(folder, "generator-wal") },
      traces_storage: { path: join(folder, "generator-traces"), ingestion_time_range_slack: "3h" },
      processor: {
        local_blocks: {
          ...{ filter_server_spans: false, flush_to_storage: false },
          ...{ flush_check_period: "3s", trace_idle_period: "2s", trace_live_period: "2s" },
        },
      },
      metrics_ingestion_time_range_slack: "3h",
    },
    query_frontend: {
      metrics: { query_backend_after: "3h", max_duration: "24h" },
      search: { max_spans_per_span_set: 0, query_ingesters_until: "3h" },
    },
    querier: { frontend_worker: { frontend_address: grpc } },
    storage: {
      trace: {
        backend: "local",
        wal: { path: join(folder, "wal"), ingestion_time_range_slack: "3h" },
        local: { path: join(folder, "blocks") },
      },
    },
    overrides: { defaults: { metrics_generator: { processors: ["local-blocks"] } } },
  });
}

/** Starts Grafana Tempo on free ports, in a temporary folder. @throws Error when it does not become ready */
export async function startTempo(path: string): Promise<TempoBackend> {
  const folder = mkdtempSync(join(tmpdir(), "tempo-"));
  const addresses = await freeAddresses(4);
  const config = join(folder, "tempo.json");
  writeFileSync(config, configText(folder, addresses));
  const child = spawn(path, ["-config.file", config], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-20_000);
    });
  }
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async () => {
    // Tempo has no data to save, and a normal exit takes half a minute, so it is killed.
    child.kill("SIGKILL");
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  const tempo = `http://${addresses[0]}`;
  try {
    await ready(child, tempo, () => log);
  } catch (error) {
    await close();
    throw error;
  }
  const [grpc = "", , otlp] = addresses;
  return {
    name: "Tempo",
    otlpHttp: `http://${otlp}`,
    tempo,
    grpc,
    flush: () => ask(`${tempo}/flush`),
    close,
  };
}

async function ready(child: ChildProcess, tempo: string, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) {
      break;
    }
    const status = await ask(`${tempo}/ready`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${program} is not ready:\n${log().slice(-3_000)}`);
}
