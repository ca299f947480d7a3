import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { eventually } from "../../src/expect.ts";
import { builtPeersFolder } from "../../src/tracing-api/comparison/public-model.ts";
import type { CollectorAddresses } from "../faults/span-doors.ts";

/** The program that `peers/build-otelcol.sh` builds; undefined when it was not built. */
export function findClientCollector(): string | undefined {
  const program = join(process.env.PEERS ?? builtPeersFolder, "otelcol-client");
  return existsSync(program) ? program : undefined;
}

/** One exporter of the OpenTelemetry Collector, with one compression. */
export interface Lane {
  /** Name of the lane, such as `otlphttp/zstd`, which is also the service of its spans. */
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

const httpCompressions = ["none", "gzip", "zstd", "snappy", "x-snappy-framed", "zlib", "deflate", "lz4"];

/** Every exporter with every compression that it offers. */
export function lanesTo({ otlpGrpc, otlpHttp, zipkinHttp }: CollectorAddresses): Lane[] {
  return [
    ...["none", "gzip", "snappy", "zstd"].map((compression) => ({
      name: `otlp/${compression}`,
      settings: { endpoint: otlpGrpc, tls: { insecure: true }, compression },
    })),
    ...httpCompressions.map((compression) => ({
      name: `otlphttp/${compression}`,
      settings: { endpoint: `http://${otlpHttp}`, compression },
    })),
    {
      name: "otlphttp/json",
      settings: { endpoint: `http://${otlpHttp}`, compression: "gzip", encoding: "json" },
    },
    ...httpCompressions.map((compression) => ({
      name: `zipkin/${compression}`,
      settings: { endpoint: `http://${zipkinHttp}/api/v2/spans`, compression },
    })),
    {
      name: "zipkin/proto",
      settings: { endpoint: `http://${zipkinHttp}/api/v2/spans`, compression: "gzip", format: "proto" },
    },
  ];
}

/** A running OpenTelemetry Collector: spans for a lane go to the OTLP receiver of this lane. */
export class ClientCollector {
  readonly #process: ChildProcess;
  readonly #receivers: ReadonlyMap<string, string>;
  /** The last part of its output. */
  log = "";

  private constructor(process: ChildProcess, receivers: ReadonlyMap<string, string>) {
    this.#process = process;
    this.#receivers = receivers;
    const keep = (chunk: Buffer) => {
      this.log = (this.log + chunk.toString()).slice(-20_000);
    };
    process.stdout?.on("data", keep);
    process.stderr?.on("data", keep);
  }

  /** @param folder for its configuration */
  static async start(program: string, lanes: readonly Lane[], folder: string): Promise<ClientCollector> {
    const addresses = await freeAddresses(lanes.length);
    const receivers = new Map(lanes.map(({ name }, index) => [name, addresses[index] as string]));
    const pipelineOf = (name: string) => name.replaceAll(/[/-]/g, "_");
    const config = {
      receivers: Object.fromEntries(
        lanes.map(({ name }) => [
          `otlp/${pipelineOf(name)}`,
          { protocols: { http: { endpoint: receivers.get(name) } } },
        ]),
      ),
      processors: { batch: { send_batch_size: 40, timeout: "100ms" } },
      exporters: Object.fromEntries(
        lanes.map(({ name, settings }) => [
          name,
          {
            ...settings,
            // Longer than any pause of the machine, because a request after its timeout may still be stored.
            timeout: "60s",
            retry_on_failure: {
              enabled: true,
              initial_interval: "100ms",
              max_interval: "1s",
              max_elapsed_time: 0,
            },
            sending_queue: { enabled: true, num_consumers: 2, queue_size: 1000 },
          },
        ]),
      ),
      service: {
        telemetry: { metrics: { level: "none" } },
        pipelines: Object.fromEntries(
          lanes.map(({ name }) => [
            `traces/${pipelineOf(name)}`,
            { receivers: [`otlp/${pipelineOf(name)}`], processors: ["batch"], exporters: [name] },
          ]),
        ),
      },
    };
    const file = join(folder, "otelcol.json");
    writeFileSync(file, JSON.stringify(config));
    const collector = new ClientCollector(
      spawn(program, ["--config", `file:${file}`], { stdio: ["ignore", "pipe", "pipe"] }),
      receivers,
    );
    await eventually(async () => {
      if (collector.#process.exitCode !== null) {
        return;
      }
      for (const address of addresses) {
        await fetch(`http://${address}/v1/traces`, { method: "POST" });
      }
    }, 60_000);
    if (collector.#process.exitCode !== null) {
      throw new Error(`it ended: ${collector.log}`);
    }
    return collector;
  }

  /** Sends spans to a lane. @returns number of spans */
  async send(lane: string, traceId: string, count: number): Promise<number> {
    const startMs = Date.now() - 1_000;
    const spans = Array.from({ length: count }, (_, index) => ({
      traceId,
      spanId: (index + 1).toString(16).padStart(16, "0"),
      name: `span ${index}`,
      kind: 2,
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${startMs + 5}000000`,
      attributes: [{ key: "ballast", value: { stringValue: "some text that comes again ".repeat(20) } }],
    }));
    const body = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: lane } }] },
          scopeSpans: [{ spans }],
        },
      ],
    });
    const response = await fetch(`http://${this.#receivers.get(lane)}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    if (response.status !== 200) {
      throw new Error(`${lane}: ${response.status} ${await response.text()}`);
    }
    return count;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) {
      return;
    }
    const ended = new Promise<void>((resolve) => this.#process.once("exit", () => resolve()));
    this.#process.kill("SIGTERM");
    const cut = setTimeout(() => this.#process.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(cut);
  }
}
