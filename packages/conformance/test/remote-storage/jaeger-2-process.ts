import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { builtPeersFolder } from "../../src/tracing-api/comparison/public-model.ts";

const program = join(process.env.PEERS ?? builtPeersFolder, "jaeger-2");

/** Whether `peers/build.sh jaeger2` has been run. */
export const hasJaeger2 = existsSync(program);

/** Settings of a Jaeger 2, in the words of its configuration. */
export interface Jaeger2Settings {
  /** The backend of its spans, such as `{ memory: { max_traces: 1000 } }`. */
  readonly backend: object;
  /** Settings of its query service beside storage and addresses. */
  readonly query?: object;
}

/** A Jaeger 2 with OTLP over HTTP, the query service, and its own remote storage server. */
export class Jaeger2 {
  /** host:port of OTLP over HTTP. */
  readonly otlp: string;
  /** host:port of the query service's HTTP API. */
  readonly query: string;
  /** host:port of its remote storage API. */
  readonly remoteStorage: string;
  readonly #child: ChildProcess;
  #log = "";

  private constructor(addresses: readonly string[], config: string) {
    [this.otlp = "", this.query = "", this.remoteStorage = ""] = addresses;
    this.#child = spawn(program, ["--config", `file:${config}`], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#log = (this.#log + chunk.toString()).slice(-20_000);
      });
    }
    this.#child.once("exit", (code, signal) => {
      if (signal !== "SIGKILL") {
        console.error(`Jaeger 2 ended by itself (${code ?? signal}):\n${this.#log.slice(0, 4_000)}`);
      }
    });
  }

  /** @param folder for its configuration @throws Error with its log when it does not become healthy */
  static async start(folder: string, settings: Jaeger2Settings): Promise<Jaeger2> {
    const addresses = await freeAddresses(5);
    const [otlp, query, remoteStorage, queryGrpc, health] = addresses;
    const config = {
      service: {
        extensions: ["jaeger_storage", "jaeger_query", "remote_storage", "healthcheckv2"],
        pipelines: { traces: { receivers: ["otlp"], exporters: ["jaeger_storage_exporter"] } },
        telemetry: { metrics: { level: "none" }, logs: { level: "warn" } },
      },
      extensions: {
        healthcheckv2: { use_v2: true, http: { endpoint: health } },
        jaeger_storage: { backends: { spans: settings.backend } },
        jaeger_query: {
          storage: { traces: "spans" },
          http: { endpoint: query },
          grpc: { endpoint: queryGrpc },
          ...settings.query,
        },
        remote_storage: { endpoint: remoteStorage, storage: "spans" },
      },
      receivers: {
        otlp: { protocols: { http: { endpoint: otlp } } },
      },
      exporters: { jaeger_storage_exporter: { trace_storage: "spans" } },
    };
    const file = join(folder, `jaeger-${health?.replace(":", "-")}.json`);
    writeFileSync(file, JSON.stringify(config));
    const jaeger = new Jaeger2(addresses, file);
    await jaeger.#healthy(`http://${health}/status`);
    return jaeger;
  }

  async #healthy(url: string): Promise<void> {
    for (let attempt = 0; attempt < 600 && this.#child.exitCode === null; attempt++) {
      const isHealthy = await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isHealthy) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await this.end();
    throw new Error(`Jaeger 2 is not healthy:\n${this.#log}`);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const closed = once(this.#child, "close");
      this.#child.kill("SIGKILL");
      await closed;
    }
  }

  /** Stops it as a machine that hangs would: connections stay, nothing answers. */
  async hang(): Promise<void> {
    this.#child.kill("SIGSTOP");
    const answers = () =>
      fetch(`http://${this.query}/api/services`, { signal: AbortSignal.timeout(1_000) }).then(
        () => true,
        () => false,
      );
    while (await answers()) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  wake(): void {
    this.#child.kill("SIGCONT");
  }
}
