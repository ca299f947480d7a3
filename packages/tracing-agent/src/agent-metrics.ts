import { Counter, Gauge, type Registry } from "prom-client";
import type { ThriftProtocol } from "wire/thrift";

/** Why a packet was not processed. */
export type PacketDropReason = "queue_full" | "too_large";

/** What the agent counts, under the public model's names with the prefix `tracing_agent_`. */
export class AgentMetrics {
  readonly #packetsProcessed;
  readonly #packetsDropped;
  readonly #handlerErrors;
  readonly #batchesSubmitted;
  readonly #batchesFailed;
  readonly #spansSubmitted;
  readonly #spansFailed;
  readonly #retries;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ name: `tracing_agent_${name}`, help, labelNames, registers: [registry] });
    this.#registry = registry;
    this.#packetsProcessed = counter(
      "thrift_udp_server_packets_processed_total",
      "Packets taken into the queue.",
      ["model", "protocol"],
    );
    this.#packetsDropped = counter(
      "thrift_udp_server_packets_dropped_total",
      "Packets dropped before they were decoded, by reason.",
      ["model", "protocol", "reason"],
    );
    this.#handlerErrors = counter(
      "thrift_udp_t_processor_handler_errors_total",
      "Packets dropped because they could not be decoded, by what was wrong.",
      ["model", "protocol", "reason"],
    );
    this.#batchesSubmitted = counter(
      "reporter_batches_submitted_total",
      "Calls that a collector accepted.",
      [],
    );
    this.#batchesFailed = counter("reporter_batches_failures_total", "Calls given up, by gRPC status.", [
      "reason",
    ]);
    this.#spansSubmitted = counter("reporter_spans_submitted_total", "Spans that a collector accepted.", []);
    this.#spansFailed = counter(
      "reporter_spans_failures_total",
      "Spans dropped with a call given up, by gRPC status.",
      ["reason"],
    );
    this.#retries = counter(
      "reporter_retries_total",
      "Calls tried again, by gRPC status of the try before.",
      ["reason"],
    );
  }

  packetProcessed(protocol: ThriftProtocol): void {
    this.#packetsProcessed.inc({ model: "tracing", protocol });
  }

  packetDropped(protocol: ThriftProtocol, reason: PacketDropReason): void {
    this.#packetsDropped.inc({ model: "tracing", protocol, reason });
  }

  /** @param reason a code of WireError */
  handlerError(protocol: ThriftProtocol, reason: string): void {
    this.#handlerErrors.inc({ model: "tracing", protocol, reason });
  }

  /** @param reason name of a gRPC status */
  retried(reason: string): void {
    this.#retries.inc({ reason });
  }

  batchSubmitted(spans: number): void {
    this.#batchesSubmitted.inc();
    this.#spansSubmitted.inc(spans);
  }

  /** @param reason name of a gRPC status */
  batchFailed(spans: number, reason: string): void {
    this.#batchesFailed.inc({ reason });
    this.#spansFailed.inc({ reason }, spans);
  }

  /** Shows how many packets wait in a server's queue, asked at each scrape. */
  showQueue(queues: ReadonlyMap<ThriftProtocol, { readonly size: number }>): void {
    new Gauge({
      name: "tracing_agent_thrift_udp_server_queue_size",
      help: "Packets that wait for a worker.",
      labelNames: ["model", "protocol"],
      registers: [this.#registry],
      collect() {
        for (const [protocol, queue] of queues) {
          this.set({ model: "tracing", protocol }, queue.size);
        }
      },
    });
  }

  /** Shows which collectors are connected, asked at each scrape. */
  showConnections(connections: readonly { readonly address: string; readonly isConnected: boolean }[]): void {
    new Gauge({
      name: "tracing_agent_connection_status_collector_connected",
      help: "1 while there is a connection to the collector.",
      labelNames: ["collector"],
      registers: [this.#registry],
      collect() {
        for (const { address, isConnected } of connections) {
          this.set({ collector: address }, Number(isConnected));
        }
      },
    });
  }
}
