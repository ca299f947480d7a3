import type { Duplex } from "node:stream";
import { WebSocketFrames } from "./websocket-frames.ts";

/** Forwards the frames of a WebSocket in one direction, and adds a close frame at the end. */
export class WebSocketPump {
  readonly #from: Duplex;
  readonly #to: Duplex;
  /** Maximum number of bytes that may wait in `#to`. Above it, `#from` pauses. */
  readonly #maxWaitingBytes: number;
  /** Finds the ends of frames. */
  readonly #frames = new WebSocketFrames();
  /** The last frame, which is sent when the current frame is complete. */
  #last: Buffer | undefined;
  /** True when the last frame was sent: later data is dropped. */
  #isOver = false;

  /** @param maxWaitingBytes limit of bytes that wait in `to`; the last chunk may exceed it */
  constructor(from: Duplex, to: Duplex, maxWaitingBytes: number) {
    this.#from = from;
    this.#to = to;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  /** @param early bytes received before the start */
  start(early: Buffer): void {
    if (early.length > 0) {
      this.#take(early);
    }
    this.#from.on("data", (chunk: Buffer) => {
      try {
        this.#take(chunk);
      } catch {
        this.#from.destroy(); // the tunnel then closes the other side too
      }
    });
    this.#from.once("end", () => this.#to.end());
    this.#from.resume(); // the socket was paused when it left HTTP
  }

  /** Sends a frame when the current frame is complete, then ends the direction. */
  endWith(frame: Buffer): void {
    this.#last ??= frame;
    if (this.#frames.isBetween) {
      this.#finish();
    }
  }

  /** Forwards bytes. Once a last frame waits, only the end of the current frame is forwarded. */
  #take(chunk: Buffer): void {
    if (this.#isOver) {
      return; // no receiver waits for this data any more
    }
    if (this.#last === undefined) {
      this.#frames.follow(chunk);
      this.#write(chunk);
      return;
    }
    const end = this.#frames.followToEnd(chunk);
    this.#write(end < 0 ? chunk : chunk.subarray(0, end));
    if (end >= 0) {
      this.#finish();
    }
  }

  #write(chunk: Buffer): void {
    this.#to.write(chunk, this.#taken);
    if (this.#to.writableLength > this.#maxWaitingBytes) {
      this.#from.pause();
    }
  }

  /** Called after a write: resumes reading when the waiting bytes are below the limit. */
  readonly #taken = (): void => {
    if (this.#to.writableLength <= this.#maxWaitingBytes) {
      this.#from.resume();
    }
  };

  /** Sends the last frame and ends the direction. */
  #finish(): void {
    this.#isOver = true;
    if (!this.#to.writableEnded && !this.#to.destroyed) {
      // A side that has already sent a close frame gets no second close frame.
      this.#to.end(this.#frames.hasClosed ? undefined : this.#last);
    }
    this.#from.resume();
  }
}
