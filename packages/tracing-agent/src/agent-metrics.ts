import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { AgentClientStats } from "wire/agent";
import { ClientStats } from "./client-stats.ts";

/** The counts of a UDP server since its start, which are read at each scrape. */
export interface ServerCounts {
  /** "tracing", or "zipkin" for the port of the oldest clients. */
  readonly model: string;
  readonly protocol: string;
  /** Packets put into the queue. */
  readonly processed: number;
  /** Packets that were dropped because the queue was full. */
  readonly queueFull: number;
  /** Packets larger than the limit. */
  readonly tooLarge: number;
  /** Errors of the socket. */
  readonly readErrors: number;
  /** Packets in the queue now. */
  readonly waiting: number;
  /**
   * Number of packets that the system dropped because the socket's buffer was full; undefined on systems that do not
   * report drops.
   */
  readonly kernelDrops: number | undefined;
}

/** Kinds of requests at the HTTP port, as Jaeger names them. */
export type HttpRequestType = "sampling" | "sampling-legacy" | "baggage";

/** The agent's metrics: Jaeger's names with the prefix `tracing_agent_`. */
export class AgentMetrics {
  readonly #handlerErrors;
  readonly #spansRejected;
  readonly #batchesSubmitted;
  readonly #batchesFailed;
  readonly #spansSubmitted;
  readonly #spansFailed;
  readonly #retries;
  readonly #httpRequests;
  readonly #httpErrors;
  readonly #collectorProxy;
  readonly #clientStats: ClientStats;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ name: `tracing_agent_${name}`, help, labelNames, registers: [registry] });
    this.#registry = registry;
    this.#handlerErrors = counter(
      "thrift_udp_t_processor_handler_errors_total",
      "Packets dropped because they could not be decoded, by what was wrong.",
      ["model", "protocol", "reason"],
    );
    this.#spansRejected = counter(
      "thrift_udp_spans_rejected_total",
      "Spans left out of packets whose other spans are good.",
      ["model", "protocol"],
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
    // The counter exists from the start with 0, so that a query which subtracts failures works before the first
    // failure.
    this.#batchesFailed.inc({ reason: "UNAVAILABLE" }, 0);
    this.#retries = counter(
      "reporter_retries_total",
      "Calls tried again, by gRPC status of the try before.",
      ["reason"],
    );
    this.#httpRequests = counter("http_server_requests_total", "Requests answered with 200.", ["type"]);
    this.#httpErrors = counter("http_server_errors_total", "Requests answered with an error.", [
      "source",
      "status",
    ]);
    this.#collectorProxy = counter("collector_proxy_total", "Requests passed on to a collector.", [
      "endpoint",
      "protocol",
      "result",
    ]);
    this.#clientStats = new ClientStats(registry);
  }

  /** @param reason a code of WireError */
  handlerError({ model, protocol }: { model: string; protocol: string }, reason: string): void {
    this.#handlerErrors.inc({ model, protocol, reason });
  }

  spansRejected({ model, protocol }: { model: string; protocol: string }, count: number): void {
    this.#spansRejected.inc({ model, protocol }, count);
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

  httpRequest(type: HttpRequestType): void {
    this.#httpRequests.inc({ type });
  }

  /** @param source "all" for faults of the client; for other faults "collector-proxy", "thrift" or "proto" */
  httpError(source: string, status: "4xx" | "5xx"): void {
    this.#httpErrors.inc({ source, status });
  }

  collectorProxied(endpoint: "sampling" | "baggage", result: "ok" | "err"): void {
    this.#collectorProxy.inc({ endpoint, protocol: "grpc", result });
  }

  /** Adds the losses that a client reports. */
  clientStats(stats: AgentClientStats): void {
    this.#clientStats.take(stats, Date.now());
  }

  /**
   * Reads the counts of the UDP servers at each scrape. Updating metrics for each packet would take longer than reading
   * the packet.
   */
  showServers(servers: readonly ServerCounts[]): void {
    const registers = [this.#registry];
    const labelNames = ["model", "protocol"];
    const counted = (name: string, help: string, countOf: (server: ServerCounts) => number) =>
      new Counter({
        name: `tracing_agent_thrift_udp_server_${name}`,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const server of servers) {
            this.inc({ model: server.model, protocol: server.protocol }, countOf(server));
          }
        },
      });
    counted("packets_processed_total", "Packets taken into the queue.", ({ processed }) => processed);
    counted("read_errors_total", "Errors of the socket.", ({ readErrors }) => readErrors);
    new Counter({
      name: "tracing_agent_thrift_udp_server_packets_dropped_total",
      help: "Packets dropped before they were decoded, by reason; kernel: the socket's buffer was full.",
      labelNames: [...labelNames, "reason"],
      registers,
      collect() {
        this.reset();
        for (const { model, protocol, queueFull, tooLarge, kernelDrops } of servers) {
          this.inc({ model, protocol, reason: "queue_full" }, queueFull);
          this.inc({ model, protocol, reason: "too_large" }, tooLarge);
          if (kernelDrops !== undefined) {
            this.inc({ model, protocol, reason: "kernel" }, kernelDrops);
          }
        }
      },
    });
    new Gauge({
      name: "tracing_agent_thrift_udp_server_queue_size",
      help: "Packets that wait for a worker.",
      labelNames,
      registers,
      collect() {
        for (const { model, protocol, waiting } of servers) {
          this.set({ model, protocol }, waiting);
        }
      },
    });
  }

  /** Reads at each scrape which collectors are connected. */
  showConnections(
    collectors: readonly { readonly text: string; readonly connected: number; readonly reconnects: number }[],
  ): void {
    new Gauge({
      name: "tracing_agent_connection_status_collector_connected",
      help: "Connections to the collector: 1 or 0, and for a name as many as it has addresses that answer.",
      labelNames: ["collector"],
      registers: [this.#registry],
      collect() {
        for (const { text, connected } of collectors) {
          this.set({ collector: text }, connected);
        }
      },
    });
    new Counter({
      name: "tracing_agent_connection_status_collector_reconnects_total",
      help: "How often a connection to the collector came to be, the first time included.",
      labelNames: ["collector"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { text, reconnects } of collectors) {
          this.inc({ collector: text }, reconnects);
        }
      },
    });
  }
}
