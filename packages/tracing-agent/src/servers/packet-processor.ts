import type { Logger } from "lifecycle";
import { AgentPacketReader, type ThriftProtocol } from "wire/agent";
import { WireError } from "wire/errors";
import type { AgentMetrics } from "../agent-metrics.ts";
import { PacketQueue } from "./packet-queue.ts";
import { PostSpansBuilder, type PostSpansCall } from "./post-spans-builder.ts";

/**
 * Maximum number of bytes and packets that are merged into one call to the collector. The limit of bytes keeps a call
 * below the collector's default limit of 4 MiB; api_v2 is at most 3.5 times as long as Thrift. With these limits, the
 * calls of all workers together use only a few megabytes.
 */
const maxMergedBytes = 262_144;
const maxMergedPackets = 250;
/**
 * With at least this number of packets, a call is sent immediately. Fewer packets wait for the next interval, because
 * each call has a fixed cost.
 */
const fewPackets = 200;
const callIntervalMs = 5;

/** Settings of the processor of one UDP port. */
export interface PacketProcessorSettings {
  readonly protocol: ThriftProtocol;
  /** The label in metrics: "tracing", or "zipkin" for the port of the oldest clients. */
  readonly model: string;
  /** Maximum number of packets that may be queued; more are dropped and counted. */
  readonly maxQueuedPackets: number;
  readonly maxPacketBytes: number;
  /** Calls of `report` that may run at once; further packets stay queued. */
  readonly workers: number;
  /** The agent's tags as bytes from `processTagFields`. */
  readonly agentTags: Buffer;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
  /**
   * Resolves when the spans were delivered or given up; never rejects.
   * @param request a `PostSpansRequest` with gRPC's prefix
   * @returns true when the bytes of the request may be overwritten
   */
  report(request: Buffer, spans: number): Promise<boolean>;
}

/**
 * Turns packets into batches for the collector. All packets that the socket has now are sent together; packets of one
 * process become one call. Later packets then wait until there are many of them, but at most some milliseconds. While
 * all workers are busy, packets wait in the queue. When a worker becomes free, it takes many of them. When the queue is
 * full, new packets are dropped and counted.
 */
export class PacketProcessor {
  readonly #settings: PacketProcessorSettings;
  readonly #waiting: PacketQueue;
  readonly #reader: AgentPacketReader;
  readonly #builder: PostSpansBuilder;
  #processed = 0;
  #queueFull = 0;
  #tooLarge = 0;
  #busyWorkers = 0;
  #isWorkerStarting = false;
  /** Timer that runs while a few packets wait for more. */
  #pause: NodeJS.Timeout | undefined;
  /** Time of `performance.now()` when a worker last started. */
  #startedAt = Number.NEGATIVE_INFINITY;
  #onIdle: (() => void) | undefined;

  constructor(settings: PacketProcessorSettings) {
    this.#settings = settings;
    this.#waiting = new PacketQueue(settings.maxQueuedPackets);
    this.#reader = new AgentPacketReader(settings.protocol, { maxPacketBytes: settings.maxPacketBytes });
    this.#builder = new PostSpansBuilder(settings.agentTags);
  }

  get model(): string {
    return this.#settings.model;
  }

  get protocol(): ThriftProtocol {
    return this.#settings.protocol;
  }

  /** Packets put into the queue. */
  get processed(): number {
    return this.#processed;
  }

  /** Packets dropped because the queue was full. */
  get queueFull(): number {
    return this.#queueFull;
  }

  /** Packets dropped because they were too large. */
  get tooLarge(): number {
    return this.#tooLarge;
  }

  /** Number of packets that wait for a worker. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Receives a packet from the socket; never throws and never waits. @param packet its bytes are copied to the queue
   */
  accept(packet: Buffer): void {
    if (packet.length > this.#settings.maxPacketBytes) {
      this.#tooLarge++;
    } else if (this.#waiting.offer(packet)) {
      this.#processed++;
      this.#startWorker();
    } else {
      this.#queueFull++;
    }
  }

  /** Resolves when no packet waits and no call runs. */
  async drained(): Promise<void> {
    if (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  get #isIdle(): boolean {
    return this.#busyWorkers === 0 && !this.#isWorkerStarting && this.#waiting.size === 0;
  }

  /**
   * Starts a worker after the current turn of the event loop, because the socket may deliver more packets in this
   * turn.
   */
  #startWorker(): void {
    const isFew = this.#waiting.size < fewPackets;
    if (this.#isWorkerStarting || this.#waiting.size === 0 || (isFew && this.#pause !== undefined)) {
      return;
    }
    if (this.#busyWorkers >= this.#settings.workers) {
      return;
    }
    const pauseMs = isFew ? Math.ceil(this.#startedAt + callIntervalMs - performance.now()) : 0;
    if (pauseMs > 0) {
      this.#pause = setTimeout(() => {
        this.#pause = undefined;
        this.#startWorker();
      }, pauseMs);
      return;
    }
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#isWorkerStarting = true;
    setImmediate(() => {
      this.#isWorkerStarting = false;
      this.#startedAt = performance.now();
      void this.#work();
      this.#startWorker();
    });
  }

  async #work(): Promise<void> {
    this.#busyWorkers++;
    do {
      for (const { request, spanCount, release } of this.#nextCalls()) {
        if (await this.#settings.report(request, spanCount)) {
          release();
        }
      }
    } while (this.#waiting.size >= fewPackets);
    this.#busyWorkers--;
    this.#startWorker();
    if (this.#isIdle) {
      this.#onIdle?.();
    }
  }

  /**
   * A separate function, because local variables of `#work` would keep the packets and all data made of them in memory
   * until the calls have ended.
   */
  #nextCalls(): PostSpansCall[] {
    this.#waiting.take(maxMergedPackets, maxMergedBytes, this.#decode);
    return this.#builder.take();
  }

  /** Decodes a packet. A packet that cannot be decoded is counted and dropped. */
  readonly #decode = (packet: Buffer): void => {
    const { protocol, metrics, log } = this.#settings;
    try {
      for (const batch of this.#reader.read(packet)) {
        if (batch.clientStats !== undefined) {
          metrics.clientStats(batch.clientStats);
        }
        this.#builder.add(batch);
      }
      const { count, errorMessage } = this.#reader.rejected;
      if (count > 0) {
        metrics.spansRejected(this, count);
        log.debug({ protocol }, `spans of a packet: ${errorMessage}`);
      }
    } catch (error) {
      if (error instanceof WireError) {
        metrics.handlerError(this, error.code);
        log.debug({ protocol, code: error.code }, `bad packet: ${error.message}`);
      } else {
        // The decoder has a bug: one packet must not end the agent.
        metrics.handlerError(this, "unexpected");
        log.error({ protocol, err: error }, "packet dropped: unexpected error");
      }
    }
  };
}
