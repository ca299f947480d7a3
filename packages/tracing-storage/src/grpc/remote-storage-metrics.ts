import { status } from "@grpc/grpc-js";
import { Counter, Gauge, type Registry } from "@prometheus-io/client";

const prefix = "tracing_storage_grpc_";

/** Metrics of the remote storage API, served on the admin port. */
export class RemoteStorageMetrics {
  readonly spansWritten: Counter;
  readonly blocksWritten: Counter;
  readonly #calls: Counter<"method" | "code">;

  /** @param pendingBytes returns the size of the spans that are not stored yet */
  constructor(registry: Registry, pendingBytes: () => number) {
    const registers = [registry];
    this.spansWritten = new Counter({
      name: `${prefix}spans_written_total`,
      help: "Spans that the store has taken, the archive's included.",
      registers,
    });
    this.blocksWritten = new Counter({
      name: `${prefix}blocks_written_total`,
      help: "Blocks in which it took them.",
      registers,
    });
    this.#calls = new Counter({
      name: `${prefix}calls_total`,
      help: "Calls that ended, by method and gRPC status.",
      labelNames: ["method", "code"],
      registers,
    });
    new Gauge({
      name: `${prefix}pending_bytes`,
      help: "Spans, as rows, that wait to be written.",
      registers,
      collect() {
        this.set(pendingBytes());
      },
    });
  }

  /** @param path path of a served method: "/tracing.storage.v1.SpanReaderPlugin/GetTrace" */
  ended(path: string, code: status): void {
    this.#calls.inc({ method: path.slice(path.lastIndexOf("/") + 1), code: status[code] ?? String(code) });
  }
}
