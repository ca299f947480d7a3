import { errorCodes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

/**
 * Limits of resets in a burst, and of resets per second: CVE-2023-44487. Each stream that ends normally allows one more
 * reset.
 */
const resetBurst = 1_000;
const resetRate = 100;
/** Limits of PING, SETTINGS, PRIORITY, empty DATA and unknown frames: CVE-2019-9511 to 9518. */
const idleBurst = 1_000;
const idleRate = 200;
/**
 * Limits of WINDOW_UPDATE frames: in a burst, and for each DATA frame and each stream that they may answer. Source:
 * envoy's limits
 */
const updateBurst = 1_000;
const updatesPerFrame = 10;
const updatesPerStream = 4;

/** A budget that is restored over time. */
class Budget {
  readonly #burst: number;
  readonly #perMs: number;
  #left: number;
  #since = performance.now();

  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perMs = perSecond / 1000;
    this.#left = burst;
  }

  /** Uses one unit. @returns false when the budget is used up */
  take(): boolean {
    if (this.#left < 1) {
      const now = performance.now();
      this.#left = Math.min(this.#burst, this.#left + (now - this.#since) * this.#perMs);
      this.#since = now;
    }
    this.#left--;
    return this.#left >= 0;
  }

  earn(): void {
    if (this.#left < this.#burst) {
      this.#left++;
    }
  }
}

/**
 * Counts frames that cost this side more than the client. A client that sends too many of these frames is disconnected.
 * Each HTTP/2 connection has its own guard.
 */
export class FloodGuard {
  readonly #resets = new Budget(resetBurst, resetRate);
  readonly #idle = new Budget(idleBurst, idleRate);
  #updates = updateBurst;

  /**
   * Counts a stream that the client reset, or that ended by the client's fault. @throws Http2Error ENHANCE_YOUR_CALM
   */
  reset(): void {
    if (!this.#resets.take()) {
      throw tooMany("streams that are broken off");
    }
  }

  /** Counts a frame without effect. @throws Http2Error ENHANCE_YOUR_CALM */
  idleFrame(): void {
    if (!this.#idle.take()) {
      throw tooMany("frames that move nothing");
    }
  }

  /** Counts a WINDOW_UPDATE. @throws Http2Error ENHANCE_YOUR_CALM */
  windowUpdate(): void {
    this.#updates--;
    if (this.#updates < 0) {
      throw tooMany("WINDOW_UPDATE frames for what was sent");
    }
  }

  streamOpened(): void {
    this.#updates = Math.min(updateBurst * updatesPerFrame, this.#updates + updatesPerStream);
  }

  streamEnded(): void {
    this.#resets.earn();
    // gRPC clients measure the round trip with one PING per response.
    this.#idle.earn();
  }

  /**
   * Called after a sent DATA frame. Go's gRPC receivers measure the round trip with a PING while data arrives, at most
   * one PING per round trip.
   */
  dataSent(): void {
    this.#idle.earn();
    this.#updates = Math.min(updateBurst * updatesPerFrame, this.#updates + updatesPerFrame);
  }
}

function tooMany(what: string): Http2Error {
  return new Http2Error(errorCodes.enhanceYourCalm, `too many ${what}`);
}
