import type { Socket } from "node:net";
import type { ConnectionLimits } from "../connection-limits.ts";
import { RateWatch } from "../rate-watch.ts";
import { bytesTaken, SendWatch } from "../send-watch.ts";
import type { RequestBody } from "./request-body.ts";

/**
 * Milliseconds from the start of a request until the connection, if it is idle then, drops the cached fields of the
 * request, which use memory.
 */
const restAfterMs = 2_000;

/** The phase that timed out. `rest`: no phase, but the idle connection may drop its caches. */
export type Lateness = "head" | "rest" | "body" | "response";

/** The owner of the current limits, which a new config may change. */
interface LimitsOwner {
  /** Time limits and sizes in force now; a reload may replace them while the connection lives. */
  readonly limits: ConnectionLimits;
}

/** Time limits of one connection: for its head, body and response. Times in milliseconds since 1970. */
export class ConnectionClock {
  readonly #socket: Socket;
  readonly #owner: LimitsOwner;
  /** Time at which a head must be complete; 0: the connection does not wait for a head. */
  #headDeadline = 0;
  #requestSince = 0;
  #bodyAt = 0;
  readonly #sending: SendWatch;
  #bodyRate: RateWatch | undefined;

  constructor(socket: Socket, owner: LimitsOwner, now: number) {
    this.#socket = socket;
    this.#owner = owner;
    this.#sending = new SendWatch(now);
    this.awaitHead(now, owner.limits.readHeaderTimeoutMs);
  }

  /** Time when bytes of the body last arrived, or when the request started. */
  get bodyAt(): number {
    return this.#bodyAt;
  }

  /** Starts the wait for a head, or for the rest of a dropped body. @param timeoutMs limit; 0: none */
  awaitHead(now: number, timeoutMs: number): void {
    this.#headDeadline = timeoutMs > 0 ? now + timeoutMs : Number.MAX_SAFE_INTEGER;
  }

  /** A request has started. */
  begin(now: number): void {
    this.#headDeadline = 0;
    this.#requestSince = now;
    this.#bodyAt = now;
    this.#sending.begin(now);
    this.#bodyRate = undefined;
  }

  /** Restarts the wait for the body: bytes arrived, or are expected from now on. */
  bodyMoved(now: number): void {
    this.#bodyAt = now;
  }

  /** Ends the wait for a head, because the connection is closing. */
  stop(): void {
    this.#headDeadline = 0;
  }

  /**
   * Finds the phase that exceeds its time limit.
   * @param hasRequest true while a request is running
   * @param body body of the running request
   * @param paused true while this side does not read
   */
  latenessAt(
    now: number,
    hasRequest: boolean,
    body: RequestBody | undefined,
    paused: boolean,
  ): Lateness | undefined {
    if (this.#headDeadline !== 0) {
      if (now >= this.#headDeadline) {
        return "head";
      }
      return now - this.#requestSince >= restAfterMs ? "rest" : undefined;
    }
    if (!hasRequest) {
      return undefined;
    }
    const { limits } = this.#owner;
    const { readTimeoutMs, readIdleTimeoutMs, writeTimeoutMs } = limits;
    const since = now - this.#requestSince;
    if (body !== undefined && !body.done && !body.dropping && body.touched) {
      const slow = readTimeoutMs > 0 && since >= readTimeoutMs;
      const silent = !paused && readIdleTimeoutMs > 0 && now - this.#bodyAt >= readIdleTimeoutMs;
      if (slow || silent || this.#isBodyTooSlow(now, paused)) {
        return "body";
      }
    }
    const socket = this.#socket;
    const stuck = this.#sending.isTooSlow(now, bytesTaken(socket), socket.writableLength > 0, limits);
    return stuck || (writeTimeoutMs > 0 && since >= writeTimeoutMs) ? "response" : undefined;
  }

  #isBodyTooSlow(now: number, paused: boolean): boolean {
    const { readMinRate, readIdleTimeoutMs } = this.#owner.limits;
    if (readMinRate === 0) {
      return false;
    }
    const { bytesRead } = this.#socket;
    this.#bodyRate ??= new RateWatch(now, bytesRead);
    const rate = { minRate: readMinRate, idleTimeoutMs: readIdleTimeoutMs };
    return this.#bodyRate.isTooSlow(now, bytesRead, !paused, rate);
  }
}
