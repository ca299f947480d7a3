import type { Readable } from "node:stream";
import { FilteredBody } from "http-engine/body/filtered-body";
import { defaultMaxWriteChunk } from "http-engine/connection-limits";
import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/**
 * Checks the pace of a peer: the first bytes within `timeoutMs`, and `minRate` bytes per second afterwards. Time limit
 * for the next piece of data: `min(timeout, timeout + bytes / rate - waited)`. Only time in which this server waits for
 * the peer counts, not time in which handlers work.
 */
class Pace {
  /** Milliseconds that one wait for the peer may last. */
  readonly #timeoutMs: number;
  /** Minimum rate in bytes per second; 0: no minimum. */
  readonly #minRate: number;
  /** Start of the current wait, on the clock of `performance.now()`. */
  #waitingSince = 0;
  /** Milliseconds that all previous waits took. */
  #waitedMs = 0;
  /** Bytes that arrived in these waits. */
  #bytes = 0;

  constructor(timeoutMs: number, minRate: number) {
    this.#timeoutMs = timeoutMs;
    this.#minRate = minRate;
  }

  /** @returns milliseconds until the next bytes must arrive; 0 when the peer is already too slow */
  wait(): number {
    this.#waitingSince = performance.now();
    if (this.#minRate === 0) {
      return this.#timeoutMs;
    }
    const allowedMs = this.#timeoutMs + (this.#bytes / this.#minRate) * 1000 - this.#waitedMs;
    return Math.max(0, Math.min(this.#timeoutMs, allowedMs));
  }

  /** The awaited data has arrived. */
  progress(bytes: number): void {
    this.#waitedMs += performance.now() - this.#waitingSince;
    this.#bytes += bytes;
  }
}

/**
 * A body that fails with 408 when the client is too slow. The clock runs only while
 * a handler reads the body.
 */
class PacedBody extends FilteredBody {
  readonly #pace: Pace;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: Readable, pace: Pace) {
    super(source);
    this.#pace = pace;
  }

  protected override pass(chunk: Buffer): void {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#pace.progress(chunk.length);
    }
  }

  override _read(): void {
    this.#timer ??= setTimeout(
      () => this.destroy(new HttpError(408, "the client sent its body too slowly")),
      this.#pace.wait(),
    );
    super._read();
  }

  override end(): void {
    clearTimeout(this.#timer);
    super.end();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    super._destroy(error, done);
  }
}

/**
 * Closes the connection when the client reads the response too slowly. A large write is split into pieces, so that the
 * client's progress is visible.
 * | Event | Clock |
 * |---|---|
 * | the client accepts a piece immediately | does not run |
 * | the client's buffers are full | starts |
 * | the buffers have space again | stops, and the bytes count as progress |
 * | the time limit ends | the stream is destroyed |
 */
class PacedResponse extends ResponseFilter {
  readonly #exchange: Exchange;
  readonly #pace: Pace;
  readonly #maxPieceBytes: number;
  /** Data that waits for the client. */
  readonly #waiting: Uint8Array[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Bytes of the current piece that the client has not accepted yet. */
  #blockedBytes = 0;
  /** True once the writer has ended: only the waiting data remains. */
  #ends = false;
  /** True once the end was written; the client may still be receiving it. */
  #isFinished = false;
  /** The writer's callback, called when the client has accepted the piece. */
  #onDrain: (() => void) | undefined;

  constructor(below: ResponseSink, exchange: Exchange, pace: Pace, maxPieceBytes: number) {
    super(below);
    this.#exchange = exchange;
    this.#pace = pace;
    this.#maxPieceBytes = maxPieceBytes;
    exchange.onEnd(() => clearTimeout(this.#timer));
  }

  override write(chunk: Uint8Array): boolean {
    this.#waiting.push(chunk);
    if (this.#timer === undefined) {
      this.#send();
    }
    return this.#timer === undefined;
  }

  override end(chunk?: Uint8Array): void {
    this.#ends = true;
    if (chunk !== undefined) {
      this.#waiting.push(chunk);
    }
    if (this.#timer === undefined) {
      this.#send();
    }
  }

  override onceDrain(callback: () => void): void {
    if (this.#timer === undefined) {
      super.onceDrain(callback);
    } else {
      this.#onDrain = callback;
    }
  }

  /** Sends pieces until the client's buffers are full. */
  #send(): void {
    for (let chunk = this.#waiting.shift(); chunk !== undefined; chunk = this.#waiting.shift()) {
      const piece = chunk.subarray(0, this.#maxPieceBytes);
      if (piece.length < chunk.length) {
        this.#waiting.unshift(chunk.subarray(piece.length));
      }
      const isLast = this.#ends && this.#waiting.length === 0;
      this.#blockedBytes += piece.length;
      if (isLast) {
        this.#finish(piece);
        return;
      }
      if (!super.write(piece)) {
        this.#wait();
        return;
      }
      this.#blockedBytes = 0;
    }
    if (this.#ends) {
      this.#finish();
    }
  }

  /** Writes the end of the response, and waits until the client has accepted the whole response. */
  #finish(piece?: Uint8Array): void {
    this.#isFinished = true;
    super.end(piece);
    if (!this.#exchange.complete && !this.#exchange.ended) {
      this.#wait();
    }
  }

  /** Waits for room, within the time limit of the pace. */
  #wait(): void {
    this.#timer = setTimeout(() => this.#exchange.stream.destroy(), this.#pace.wait());
    super.onceDrain(() => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#pace.progress(this.#blockedBytes);
      this.#blockedBytes = 0;
      if (this.#isFinished) {
        return;
      }
      if (this.#waiting.length > 0 || this.#ends) {
        this.#send();
      }
      if (this.#timer === undefined && !this.#ends) {
        const onDrain = this.#onDrain;
        this.#onDrain = undefined;
        onDrain?.();
      }
    });
  }
}

/** Limits how slowly a client may send and receive. Source: Caddy 2.11 */
export const timeouts = defineModule({
  id: "http.handlers.timeouts",
  config: z.strictObject({
    read_timeout: configDuration()
      .nullish()
      .describe("How long the client may send nothing of its body before it gets 408 (unlimited)."),
    read_min_rate: z
      .int()
      .min(0)
      .nullish()
      .describe("Bytes a second that the client must send on average, after read_timeout (0: any)."),
    write_timeout: configDuration()
      .nullish()
      .describe("How long the client may take nothing of the response before it is cut (unlimited)."),
    write_min_rate: z
      .int()
      .min(0)
      .nullish()
      .describe("Bytes a second that the client must take on average, after write_timeout (0: any)."),
    max_write_chunk: z
      .int()
      .min(0)
      .nullish()
      .describe(
        "Bytes of a large write that go on at a time: write_timeout and write_min_rate are for each (64 KiB).",
      ),
  }),
  provision(config): HttpHandler {
    const readMs = config.read_timeout ?? 0;
    const writeMs = config.write_timeout ?? 0;
    const maxPieceBytes = config.max_write_chunk || defaultMaxWriteChunk;
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        if (readMs > 0 && exchange.hasBody) {
          const pace = new Pace(readMs, config.read_min_rate ?? 0);
          exchange.filterBody({ apply: (source) => new PacedBody(source, pace) });
        }
        if (writeMs > 0) {
          const pace = new Pace(writeMs, config.write_min_rate ?? 0);
          exchange.interceptResponse((below) => new PacedResponse(below, exchange, pace, maxPieceBytes));
        }
        return next(exchange);
      },
    };
  },
});
