import type { Socket } from "node:net";
import type { ConnectionLimits } from "./connection-limits.ts";
import { RateWatch } from "./rate-watch.ts";

interface SocketHandle {
  /** Bytes that the kernel has accepted so far. */
  readonly bytesWritten?: number;
  /** Bytes in the queue of libuv that the kernel has not accepted yet. */
  readonly writeQueueSize?: number;
}

/**
 * Bytes of a socket that the kernel has accepted. Node's own counters change only when a whole write is done. A large
 * write to a slow client takes minutes.
 */
export function bytesTaken(socket: Socket): number {
  const handle = (socket as { readonly _handle?: SocketHandle | null })._handle;
  return typeof handle?.bytesWritten === "number" && typeof handle.writeQueueSize === "number"
    ? handle.bytesWritten - handle.writeQueueSize
    : socket.bytesWritten - socket.writableLength;
}

/**
 * Checks that a client reads its response: a whole chunk within the idle timeout, like the deadline of each write in
 * Caddy 2.11. A client that reads single bytes counts as idle. Times are in milliseconds since 1970.
 */
export class SendWatch {
  #movedAt: number;
  /** Accepted bytes at the time `#movedAt`; undefined: not read yet. */
  #bytes: number | undefined;
  #rate: RateWatch | undefined;

  constructor(now: number) {
    this.#movedAt = now;
  }

  /** Resets the watch at the start of a response. */
  begin(now: number): void {
    this.#movedAt = now;
    this.#bytes = undefined;
    this.#rate = undefined;
  }

  /**
   * @param bytes counter of the bytes that the client has accepted; it only grows
   * @param waiting true while bytes of the response are unsent
   * @returns true when the client is too slow
   */
  isTooSlow(now: number, bytes: number, waiting: boolean, limits: ConnectionLimits): boolean {
    const { writeIdleTimeoutMs, writeMinRate, maxWriteChunk } = limits;
    if (this.#bytes === undefined || !waiting || bytes - this.#bytes >= maxWriteChunk) {
      this.#bytes = bytes;
      this.#movedAt = now;
    }
    if (writeIdleTimeoutMs > 0 && now - this.#movedAt >= writeIdleTimeoutMs) {
      return true;
    }
    if (writeMinRate === 0) {
      return false;
    }
    this.#rate ??= new RateWatch(now, bytes);
    const rate = { minRate: writeMinRate, idleTimeoutMs: writeIdleTimeoutMs };
    return this.#rate.isTooSlow(now, bytes, waiting, rate);
  }
}
