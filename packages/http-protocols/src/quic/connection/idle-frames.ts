import { QuicError, transportErrors } from "../quic-error.ts";
import type { SentFrame } from "../streams/sent-frame.ts";
import type { Frame } from "../wire/frames.ts";

/** Limits of frames without progress, in a burst and per second. As in HTTP/2: `../../http2/flood-guard.ts` */
const burst = 1_000;
const perSecond = 200;

/** Frames that cost the peer less than this side. They count unless this side has caused them by sending. */
const idleKinds: ReadonlySet<Frame["kind"]> = new Set([
  "ping",
  "pathChallenge",
  "newConnectionId",
  "retireConnectionId",
  "maxData",
  "maxStreamData",
  "maxStreams",
  "dataBlocked",
  "streamDataBlocked",
  "streamsBlocked",
]);

const movingKinds: ReadonlySet<SentFrame["kind"]> = new Set([
  "stream",
  "maxData",
  "maxStreamData",
  "maxStreams",
]);

/** Counts frames without progress. Too many of them end the connection. */
export class IdleFrames {
  #left = burst;
  #since: number;

  /** @param now milliseconds, on the clock of the connection */
  constructor(now: number) {
    this.#since = now;
  }

  /**
   * @param acksBefore acknowledgments in the same packet before this frame
   * @throws QuicError PROTOCOL_VIOLATION
   */
  receive(frame: Frame, acksBefore: number, now: number): void {
    const isIdle =
      idleKinds.has(frame.kind) ||
      (frame.kind === "stream" && frame.data.length === 0 && !frame.fin) ||
      (frame.kind === "ack" && acksBefore > 0);
    if (!isIdle) {
      return;
    }
    if (this.#left < 1) {
      this.#left = Math.min(burst, this.#left + ((now - this.#since) * perSecond) / 1_000);
      this.#since = now;
    }
    this.#left--;
    if (this.#left < 0) {
      throw new QuicError(transportErrors.protocolViolation, "too many frames that move nothing");
    }
  }

  /** Restores the budget by one for each sent packet with data or limits, because such packets cause idle frames. */
  sent(frames: readonly SentFrame[]): void {
    if (this.#left < burst && frames.some(({ kind }) => movingKinds.has(kind))) {
      this.#left++;
    }
  }
}
