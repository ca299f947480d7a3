import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { AgentClientStats } from "wire/agent";

/** Milliseconds of silence after which a client is forgotten. */
const forgetAfterMs = 3_600_000;
/**
 * Maximum number of clients that are remembered, because senders choose the identifiers. The client without batches for
 * the longest time is dropped first.
 */
const maxClients = 10_000;

interface LastStats extends AgentClientStats {
  readonly seqNo: bigint;
  readonly atMs: number;
}

/**
 * Sums the losses that clients report. Each batch contains totals since the start of its client. A repeated or
 * reordered batch is recognized by its number, and its totals are ignored.
 */
export class ClientStats {
  readonly #batchesReceived;
  readonly #batchesSent;
  readonly #spansDropped;
  /** Clients by identifier, in the order of their last batches. */
  readonly #clients = new Map<string, LastStats>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#batchesReceived = new Counter({
      name: "tracing_agent_client_stats_batches_received_total",
      help: "Batches of clients that number them.",
      registers,
    });
    this.#batchesSent = new Counter({
      name: "tracing_agent_client_stats_batches_sent_total",
      help: "Batches that those clients sent, by their numbers; more than were received: the network lost some.",
      registers,
    });
    this.#spansDropped = new Counter({
      name: "tracing_agent_client_stats_spans_dropped_total",
      help: "Spans that clients lost, by cause.",
      labelNames: ["cause"],
      registers,
    });
    const clients = this.#clients;
    new Gauge({
      name: "tracing_agent_client_stats_connected_clients",
      help: "Clients that sent numbered batches within the last hour.",
      registers,
      collect() {
        forgetSilent(clients, Date.now());
        this.set(clients.size);
      },
    });
  }

  /** @param nowMs milliseconds since 1970 */
  take(stats: AgentClientStats, nowMs: number): void {
    const { clientUuid, seqNo } = stats;
    if (seqNo === undefined) {
      return;
    }
    this.#batchesReceived.inc();
    const last = this.#clients.get(clientUuid);
    if (last !== undefined && last.seqNo >= seqNo) {
      return;
    }
    // The first batch only sets the start values, because the client may have run for a long time before this agent.
    if (last !== undefined) {
      this.#batchesSent.inc(Number(seqNo - last.seqNo));
      this.#lost("full-queue", stats.fullQueueDroppedSpans - last.fullQueueDroppedSpans);
      this.#lost("too-large", stats.tooLargeDroppedSpans - last.tooLargeDroppedSpans);
      this.#lost("send-failure", stats.failedToEmitSpans - last.failedToEmitSpans);
    }
    this.#clients.delete(clientUuid);
    this.#clients.set(clientUuid, { ...stats, seqNo, atMs: nowMs });
    if (this.#clients.size > maxClients) {
      forgetSilent(this.#clients, nowMs);
      const [oldest] = this.#clients.keys();
      if (this.#clients.size > maxClients && oldest !== undefined) {
        this.#clients.delete(oldest);
      }
    }
  }

  #lost(cause: string, spans: bigint): void {
    if (spans > 0n) {
      this.#spansDropped.inc({ cause }, Number(spans));
    }
  }
}

function forgetSilent(clients: Map<string, LastStats>, nowMs: number): void {
  for (const [uuid, { atMs }] of clients) {
    if (nowMs - atMs <= forgetAfterMs) {
      break;
    }
    clients.delete(uuid);
  }
}
