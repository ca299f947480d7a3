import type { HeaderList } from "../header-list.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { defaultWindowBytes, errorCodes, maxWindowBytes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";
import type { SendQueue } from "./send-queue.ts";

/** Maximum number of unsent body bytes for a peer that does not read. */
const maxUnsentBytes = 128 * 1024;
const noPayload = Buffer.alloc(0);

/** A stream with something to send. */
export interface SendingStream {
  readonly id: number;
  /** Queue of DATA and of the end. */
  readonly sending: SendQueue;
  /** Fields that end the stream; empty when the body ends the stream. */
  readonly trailers: HeaderList;
  /** Called when the frame that ends the stream is being sent. */
  allSent(): void;
}

/** The part of the connection that a scheduler uses. */
export interface SchedulerOwner {
  /** Called after each sent DATA frame. */
  dataSent(): void;
  /** Sends the trailers, which end the stream, after all its DATA. */
  sendTrailers(streamId: number, trailers: HeaderList): void;
}

/** Sends the bodies of a connection's streams within the peer's windows. Streams take turns, one frame each. */
export class SendScheduler {
  readonly #writer: FrameWriter;
  readonly #owner: SchedulerOwner;
  readonly #ready = new Set<SendingStream>();
  #windowBytes = defaultWindowBytes;
  /** Initial window of a stream in bytes, from the peer's SETTINGS. */
  initialBytes = defaultWindowBytes;
  #running = false;

  constructor(writer: FrameWriter, owner: SchedulerOwner) {
    this.#writer = writer;
    this.#owner = owner;
  }

  /** Adds a stream whose queue contains data or the end of the stream. */
  add(stream: SendingStream): void {
    this.#ready.add(stream);
    this.run();
  }

  /** Removes a stream, so that no further part of its body is sent. */
  remove(stream: SendingStream): void {
    this.#ready.delete(stream);
  }

  clear(): void {
    this.#ready.clear();
  }

  /** Enlarges the connection's window. @throws Http2Error FLOW_CONTROL_ERROR */
  grant(bytes: number): void {
    this.#windowBytes += bytes;
    if (this.#windowBytes > maxWindowBytes) {
      throw windowError();
    }
    this.run();
  }

  /**
   * Enlarges a stream's window. @returns false when the window becomes too large, which is an error of the
   * stream
   */
  grantStream(stream: SendingStream, bytes: number): boolean {
    const { sending } = stream;
    sending.windowBytes += bytes;
    if (sending.windowBytes > maxWindowBytes) {
      return false;
    }
    if (sending.isReady) {
      this.add(stream);
    }
    return true;
  }

  /** Applies a new SETTINGS_INITIAL_WINDOW_SIZE, also to open streams. @throws Http2Error FLOW_CONTROL_ERROR */
  setInitial(bytes: number, streams: Iterable<SendingStream>): void {
    const change = bytes - this.initialBytes;
    this.initialBytes = bytes;
    for (const stream of streams) {
      if (!this.grantStream(stream, change)) {
        throw windowError();
      }
    }
  }

  /** Sends as much as the windows and the socket allow. */
  run(): void {
    if (this.#running) {
      return;
    }
    this.#running = true;
    try {
      while (this.#ready.size > 0 && this.#runOnce()) {
        // A round without a sent frame means that windows or the socket are full.
      }
    } finally {
      this.#running = false;
    }
  }

  /** Sends one frame of each stream. @returns true when at least one frame was sent */
  #runOnce(): boolean {
    let moved = false;
    for (const stream of this.#ready) {
      if (!this.#hasRoom) {
        return false;
      }
      moved = this.#sendFrame(stream) || moved;
    }
    return moved;
  }

  get #hasRoom(): boolean {
    return this.#writer.unsentBytes < maxUnsentBytes;
  }

  /** @returns true when a frame was sent */
  #sendFrame(stream: SendingStream): boolean {
    const { sending, trailers } = stream;
    const sent = sending.sendFrame(this.#writer, this.#windowBytes, trailers.length > 0);
    let moved = sent > 0;
    if (moved) {
      this.#windowBytes -= sent;
      this.#owner.dataSent();
    }
    if (sending.isAtEnd && !sending.isOver) {
      if (trailers.length > 0) {
        this.#owner.sendTrailers(stream.id, trailers);
      } else {
        this.#writer.data(stream.id, true, noPayload);
      }
      sending.endSent();
      moved = true;
    }
    if (sending.isOver) {
      this.#ready.delete(stream);
      stream.allSent();
    } else if (!sending.isReady) {
      this.#ready.delete(stream);
    }
    return moved;
  }
}

function windowError(): Http2Error {
  return new Http2Error(errorCodes.flowControlError, "a window is over 2^31 - 1");
}
