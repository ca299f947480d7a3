import { setTimeout as sleep } from "node:timers/promises";
import type { ReadOptions, SpanSelection, Tail } from "storage/api";
import { refusePartial } from "storage/asked-time";
import type { Access } from "../access/access.ts";
import type { AnalysisService } from "./analysis-service.ts";
import type { RequestGate } from "./request-gate.ts";

/** A follower of a feed. Its methods must neither throw nor wait. */
export interface TailListener {
  /** New spans have arrived. @param text the encoded spans @param spans their number */
  arrived(text: string, spans: number): void;
  /** The store failed. The feed repeats the read from the same cursor. */
  failed(error: unknown): void;
  /** Called every `heartbeatMs`, even while spans arrive. @param cursor all spans before this cursor were delivered */
  idle(cursor: string): void;
}

/** The query of a feed; followers with an equal query share the feed. */
export interface TailFeedQuery {
  /** Conditions of the spans. */
  readonly filter: SpanSelection;
  /** Maximum number of spans that one read returns. */
  readonly limit: number;
  /** Tenant whose spans are read; undefined or "" without tenants. */
  readonly tenant?: string | undefined;
  /**
   * Token of the client, if tokens are forwarded to the store. The token is part of the query, so clients with
   * different tokens share no feed.
   */
  readonly bearerToken?: string | undefined;
  /** Rights of the client; clients with different roles share no feed, because their answers differ. */
  readonly access?: Access | undefined;
}

/** Settings that all feeds share. */
export interface TailFeedSettings {
  /** Reads the store. */
  readonly analysis: Pick<AnalysisService, "tail">;
  /** Limits the reads of the store. */
  readonly gate: RequestGate;
  /** Encodes spans once for all followers. */
  readonly encode: (tail: Tail) => string;
  /** Milliseconds between two reads. */
  readonly pollMs: number;
  /** Milliseconds between two calls of `idle`. */
  readonly heartbeatMs: number;
}

/** Longest pause between two reads of a failing store, in milliseconds. */
const maxBackoffMs = 30_000;

/**
 * Reads new spans from the store at intervals, and sends them to all listeners.
 *
 * | State | Left by |
 * |---|---|
 * | beginning: the first read gets the current cursor | the answer, or its failure, which every `join` reports |
 * | following: a read every `pollMs` | `stop`, when the last listener has left |
 * | failing: reads after 2, 4, 8 … times `pollMs`, at most 30 s apart | a read that succeeds |
 */
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
    // Each `join` awaits this promise and reports its failure.
    this.#begun.catch(() => {});
  }

  /**
   * Adds a listener. It first gets the spans that arrived after its cursor.
   * @param signal stops the read of these first spans
   * @throws StorageError when the store fails, or when it did not issue the cursor
   */
  async join(listener: TailListener, from: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#begun;
    let at = from ?? this.#cursor;
    // The feed may advance its cursor during this read.
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

  /** Stops the feed, and aborts the running read in the store. */
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

  /** Reads until the feed stops. The pauses between reads of a failing store grow. */
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

  /**
   * Reads the store once, with a place of the feeds' gate. @param upTo cursor at which the read ends; the
   * newest span when undefined
   */
  async #ask(cursor: string | undefined, signal: AbortSignal, upTo?: string): Promise<Tail> {
    const { analysis, gate } = this.#settings;
    const { filter, limit, tenant, bearerToken, access } = this.#query;
    const leave = await gate.enter(signal);
    try {
      // Damaged spans arrived before this feed began, so the feed loses nothing. For an unavailable shard the feed
      // waits, so that it loses no span.
      const onPartial: ReadOptions["onPartial"] = (reason) => {
        if (reason.kind !== "part-damaged") {
          refusePartial(reason);
        }
      };
      const options = {
        signal,
        hasPlace: true,
        ...{ bearerToken, access },
        onPartial,
        ...(tenant === undefined ? {} : { tenant }),
      };
      const bounds = { ...(cursor === undefined ? {} : { cursor }), ...(upTo === undefined ? {} : { upTo }) };
      return await analysis.tail({ ...filter, limit, ...bounds }, options);
    } finally {
      leave();
    }
  }

  /** Encodes new spans once for all listeners. Sends nothing when no span has arrived. */
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
