import { setTimeout as sleep } from "node:timers/promises";
import { type ReadOptions, refusePartial, type SpanSelection, type Tail } from "storage/api";
import type { AnalysisService } from "./analysis-service.ts";
import type { RequestGate } from "./request-gate.ts";

/** Someone who follows a feed. Must not throw, nor wait. */
export interface TailListener {
  /** What has arrived, encoded. @param spans so many */
  arrived(text: string, spans: number): void;
  /** The store could not be asked; it will be again, from the same place. */
  failed(error: unknown): void;
  /** Nothing has arrived for a while. @param cursor up to which all has been given */
  idle(cursor: string): void;
}

/** What a feed follows; equal ones share it. */
export interface TailFeedQuery {
  readonly filter: SpanSelection;
  /** Most spans at a time. */
  readonly limit: number;
  readonly tenant?: string | undefined;
  readonly bearerToken?: string | undefined;
}

export interface TailFeedSettings {
  readonly analysis: Pick<AnalysisService, "tail">;
  /** For questions to the store. */
  readonly gate: RequestGate;
  /** Encodes an answer once for all who follow. */
  readonly encode: (tail: Tail) => string;
  /** Between two questions. */
  readonly pollMs: number;
  /** Listeners hear something at least so often. */
  readonly heartbeatMs: number;
}

/** Longest wait between two questions to a store that fails. */
const maxBackoffMs = 30_000;

/** Asks the store, at intervals, what has arrived, and tells all who listen. */
export class TailFeed {
  readonly #query: TailFeedQuery;
  readonly #settings: TailFeedSettings;
  readonly #listeners = new Set<TailListener>();
  readonly #stopped = new AbortController();
  readonly #begun: Promise<void>;
  #heartbeat: NodeJS.Timeout | undefined;
  #cursor = "";

  constructor(query: TailFeedQuery, settings: TailFeedSettings) {
    this.#query = query;
    this.#settings = settings;
    this.#begun = this.#begin();
    // Whoever joins learns of it.
    this.#begun.catch(() => {});
  }

  /**
   * Begins to tell the listener what arrives; first what has arrived since a cursor.
   * @param signal ends that first part
   * @throws StorageError when the store cannot be asked, or did not give the cursor
   */
  async join(listener: TailListener, from: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#begun;
    let at = from ?? this.#cursor;
    // While this asks, the feed may move on.
    while (at !== this.#cursor) {
      const upTo = this.#cursor;
      const tail = await this.#ask(at, signal, upTo);
      this.#tell([listener], tail);
      at = upTo;
    }
    signal.throwIfAborted();
    this.#listeners.add(listener);
  }

  leave(listener: TailListener): void {
    this.#listeners.delete(listener);
  }

  /** Ends the work in the store too. */
  stop(): void {
    this.#stopped.abort();
    clearInterval(this.#heartbeat);
  }

  async #begin(): Promise<void> {
    const { cursor } = await this.#ask(undefined, this.#stopped.signal);
    this.#cursor = cursor;
    this.#heartbeat = setInterval(() => {
      for (const listener of this.#listeners) {
        listener.idle(this.#cursor);
      }
    }, this.#settings.heartbeatMs);
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopped;
    const { pollMs } = this.#settings;
    let waitMs = pollMs;
    while (!signal.aborted) {
      try {
        await sleep(waitMs, undefined, { signal });
        const tail = await this.#ask(this.#cursor, signal);
        waitMs = pollMs;
        this.#cursor = tail.cursor;
        this.#tell(this.#listeners, tail);
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        waitMs = Math.min(waitMs * 2, maxBackoffMs);
        for (const listener of this.#listeners) {
          listener.failed(error);
        }
      }
    }
  }

  async #ask(cursor: string | undefined, signal: AbortSignal, upTo?: string): Promise<Tail> {
    const { analysis, gate } = this.#settings;
    const { filter, limit, tenant, bearerToken } = this.#query;
    const leave = await gate.enter(signal);
    try {
      // Damaged spans arrived before this feed began. The feed waits for a shard that is away, to lose none of its spans.
      const onPartial: ReadOptions["onPartial"] = (reason) => {
        if (reason.kind !== "part-damaged") refusePartial(reason);
      };
      const options: ReadOptions = {
        signal,
        bearerToken,
        onPartial,
        ...(tenant === undefined ? {} : { tenant }),
      };
      const bounds = { ...(cursor === undefined ? {} : { cursor }), ...(upTo === undefined ? {} : { upTo }) };
      return await analysis.tail({ ...filter, limit, ...bounds }, options);
    } finally {
      leave();
    }
  }

  #tell(listeners: Iterable<TailListener>, tail: Tail): void {
    if (tail.spans.length === 0 && tail.skipped === 0) {
      return;
    }
    const text = this.#settings.encode(tail);
    for (const listener of listeners) {
      listener.arrived(text, tail.spans.length + tail.skipped);
    }
  }
}
