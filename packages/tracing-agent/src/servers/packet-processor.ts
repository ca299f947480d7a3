import type { Logger } from "lifecycle";
import type { Batch, KeyValue } from "wire/api-v2";
import { WireError } from "wire/errors";
import { decodeAgentPacket, type ThriftProtocol, thriftBatchToApiV2 } from "wire/thrift";
import type { AgentMetrics } from "../agent-metrics.ts";
import { mergeBatches } from "./merge-batches.ts";
import { PacketQueue } from "./packet-queue.ts";

/** A call to the collector stays below its default limit of 4 MiB: api_v2 is at most 3.5 times as long as Thrift. */
const maxMergedBytes = 1_048_576;
const maxMergedPackets = 500;

export interface PacketProcessorSettings {
  readonly protocol: ThriftProtocol;
  readonly maxQueuedPackets: number;
  readonly maxPacketBytes: number;
  /** Most calls of `report` at a time. */
  readonly workers: number;
  readonly agentTags: readonly KeyValue[];
  readonly metrics: AgentMetrics;
  readonly log: Logger;
  /** Resolves when the batch was delivered or given up; never rejects. */
  report(batch: Batch): Promise<void>;
}

/**
 * From packets to batches on their way to the collector. While a worker is free, all packets that the socket has at
 * the moment are sent at once, in one call if they come from one process. While all workers are busy packets wait in
 * the queue, and a worker that becomes free takes many of them. When the queue is full new packets are dropped and
 * counted.
 */
export class PacketProcessor {
  readonly #settings: PacketProcessorSettings;
  readonly #waiting: PacketQueue;
  #busyWorkers = 0;
  #isWorkerStarting = false;
  #onIdle: (() => void) | undefined;

  constructor(settings: PacketProcessorSettings) {
    this.#settings = settings;
    this.#waiting = new PacketQueue(settings.maxQueuedPackets);
  }

  /** How many packets wait for a worker. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Takes a packet off the socket; never throws, never waits. @param packet kept until it was processed */
  accept(packet: Buffer): void {
    const { protocol, maxPacketBytes, metrics } = this.#settings;
    if (packet.length > maxPacketBytes) {
      metrics.packetDropped(protocol, "too_large");
    } else if (this.#waiting.offer(packet)) {
      metrics.packetProcessed(protocol);
      this.#startWorker();
    } else {
      metrics.packetDropped(protocol, "queue_full");
    }
  }

  /** Resolves when no packet waits and no call is under way. */
  async drained(): Promise<void> {
    if (this.#busyWorkers > 0 || this.#isWorkerStarting) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  /** A worker begins after the event loop's turn, in which the socket may hand over further packets. */
  #startWorker(): void {
    const { workers } = this.#settings;
    if (this.#isWorkerStarting || this.#waiting.size === 0 || this.#busyWorkers >= workers) {
      return;
    }
    this.#isWorkerStarting = true;
    setImmediate(() => {
      this.#isWorkerStarting = false;
      void this.#work();
      this.#startWorker();
    });
  }

  async #work(): Promise<void> {
    this.#busyWorkers++;
    while (this.#waiting.size > 0) {
      const packets = this.#waiting.take(maxMergedPackets, maxMergedBytes);
      const batches = mergeBatches(
        packets.flatMap((packet) => this.#decode(packet)),
        this.#settings.agentTags,
      );
      for (const batch of batches) {
        await this.#settings.report(batch);
      }
    }
    this.#busyWorkers--;
    if (this.#busyWorkers === 0 && !this.#isWorkerStarting) {
      this.#onIdle?.();
    }
  }

  /** @returns nothing for a packet that cannot be read, which is counted and forgotten */
  #decode(packet: Buffer): Batch[] {
    const { protocol, maxPacketBytes, metrics, log } = this.#settings;
    try {
      return [thriftBatchToApiV2(decodeAgentPacket(packet, protocol, maxPacketBytes))];
    } catch (error) {
      if (error instanceof WireError) {
        metrics.handlerError(protocol, error.code);
        log.debug({ protocol, code: error.code }, `bad packet: ${error.message}`);
      } else {
        // A mistake of ours: one packet must not end the agent.
        metrics.handlerError(protocol, "unexpected");
        log.error({ protocol, err: error }, "packet dropped: unexpected error");
      }
      return [];
    }
  }
}
