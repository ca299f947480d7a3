import { Duplex } from "node:stream";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Handler } from "../routes/handler.ts";
import { ByteRate } from "./byte-rate.ts";

/** Bytes per second; fractions are allowed, and 0 or absent means no limit. */
const bytesPerSecond = () => z.number().min(0).nullish();
/** Burst in bytes; 0 or absent: the bytes of one second. */
const burst = () => z.int().min(0).nullish();

/**
 * A stream that is read no faster than its rates allow. Writing is not limited, as in caddy-l4. The wait comes before
 * the read, so the client's sending is held up by TCP.
 */
class ThrottledStream extends Duplex {
  readonly #below: Duplex;
  readonly #rates: readonly ByteRate[];
  #timer: NodeJS.Timeout | undefined;

  constructor(below: Duplex, rates: readonly ByteRate[]) {
    super({ allowHalfOpen: true });
    this.#below = below;
    this.#rates = rates;
    below.pause();
    below.on("end", () => this.push(null));
    if (below.readableEnded) {
      this.push(null);
    }
    below.on("error", (error) => this.destroy(error));
    below.once("close", () => this.destroy());
  }

  /**
   * Takes bytes from all rates, and waits for the slowest. A read takes at most the smallest burst, because no bucket
   * ever holds more.
   */
  override _read(size: number): void {
    const most = Math.max(1, Math.min(size, ...this.#rates.map((rate) => rate.burst)));
    const waitMs = Math.max(0, ...this.#rates.map((rate) => rate.take(most)));
    if (waitMs > 0) {
      this.#timer = setTimeout(() => this.#pass(most), waitMs).unref();
    } else {
      this.#pass(most);
    }
  }

  /** Passes at most `most` available bytes; waits if none are available. */
  #pass(most: number): void {
    const below = this.#below;
    // `read(most)` returns null while fewer bytes are available.
    const chunk = (below.readableLength > most ? below.read(most) : below.read()) as Buffer | null;
    if (chunk !== null) {
      this.push(chunk);
    } else if (!below.readableEnded && !below.destroyed) {
      below.once("readable", () => this.#pass(most));
    }
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#below.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#below.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#below.destroy();
    done(error);
  }
}

/** Reads a connection slowly. Source: caddy-l4, `layer4.handlers.throttle` */
export const throttle = defineModule({
  id: "layer4.handlers.throttle",
  config: z.strictObject({
    read_bytes_per_second: bytesPerSecond().describe("Of each connection; 0 for any number (0)."),
    read_burst_size: burst().describe("Bytes of a connection that are read at once (those of a second)."),
    total_read_bytes_per_second: bytesPerSecond().describe(
      "Of all connections of a worker thread together; 0 for any number (0).",
    ),
    total_read_burst_size: burst().describe(
      "Bytes of all of them that are read at once (those of a second).",
    ),
    latency: configDuration().nullish().describe("Pause before the first byte of a connection is read (0)."),
  }),
  provision(config): Handler {
    // The default burst is the bytes of one second plus one, as in caddy-l4.
    const rateOf = (rate: number | null | undefined, burstBytes: number | null | undefined) =>
      rate ? new ByteRate(rate, burstBytes || Math.floor(rate) + 1) : undefined;
    const total = rateOf(config.total_read_bytes_per_second, config.total_read_burst_size);
    const latencyMs = config.latency ?? 0;
    return {
      async handle(connection, next) {
        if (latencyMs > 0) {
          await new Promise((resolve) => setTimeout(resolve, latencyMs).unref());
        }
        const own = rateOf(config.read_bytes_per_second, config.read_burst_size);
        const rates = [total, own].filter((rate) => rate !== undefined);
        if (connection.isClosed || rates.length === 0) {
          return connection.isClosed ? undefined : next(connection);
        }
        const stream = new ThrottledStream(connection.take(), rates);
        stream.on("error", () => {}); // readers and writers of the stream get the error themselves
        return next(connection.over(stream));
      },
    };
  },
});
