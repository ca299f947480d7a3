import type { FloodGuard } from "../http2/flood-guard.ts";
import type { FrameWriter } from "../http2/frame-writer.ts";
import { encodeRstStream, errorCodes } from "../http2/frames.ts";
import { Http2Error } from "../http2/http2-error.ts";
import type { SendingStream, SendScheduler } from "../http2/send-scheduler.ts";
import { RecentStreams, type StreamFate } from "./recent-streams.ts";

/** The open streams of one connection, and the fate of recently closed streams. Source: RFC 9113, section 5.1 */
export class StreamTable<Stream extends SendingStream> {
  readonly #writer: FrameWriter;
  readonly #guard: FloodGuard;
  readonly #scheduler: SendScheduler;
  readonly #open = new Map<number, Stream>();
  readonly #recent = new RecentStreams();
  #lastId = 0;

  constructor(writer: FrameWriter, guard: FloodGuard, scheduler: SendScheduler) {
    this.#writer = writer;
    this.#guard = guard;
    this.#scheduler = scheduler;
  }

  get size(): number {
    return this.#open.size;
  }

  /** ID of the last stream that the client opened; 0 when it opened none. */
  get lastId(): number {
    return this.#lastId;
  }

  get(streamId: number): Stream | undefined {
    return this.#open.get(streamId);
  }

  /** The streams that are open now; later changes do not affect the list. */
  all(): Stream[] {
    return [...this.#open.values()];
  }

  values(): Iterable<Stream> {
    return this.#open.values();
  }

  add(stream: Stream): void {
    this.#open.set(stream.id, stream);
    this.#guard.streamOpened();
  }

  /** Removes a stream. @returns true when the stream was open */
  remove(stream: Stream, fate: StreamFate): boolean {
    if (!this.#open.delete(stream.id)) {
      return false;
    }
    this.#scheduler.remove(stream);
    this.#recent.remember(stream.id, fate);
    return true;
  }

  /** Removes all streams; their unsent data is dropped. */
  clear(): Stream[] {
    const streams = this.all();
    this.#open.clear();
    this.#scheduler.clear();
    return streams;
  }

  /**
   * Decides how to treat a head on a stream that is not open.
   * @returns true when the head opens a stream; false when it must be dropped
   * @throws Http2Error for an ended stream
   */
  isNew(streamId: number): boolean {
    if (streamId > this.#lastId) {
      return true;
    }
    const fate = this.#recent.fateOf(streamId);
    if (fate !== "abandoned") {
      const code = fate === "closed" ? errorCodes.streamClosed : errorCodes.protocolError;
      throw new Http2Error(code, `HEADERS on stream ${streamId}, which is closed`);
    }
    return false;
  }

  /** Records that the client has opened a stream. This side may still refuse the stream. */
  opened(streamId: number): void {
    this.#lastId = streamId;
  }

  /** Records a request that was answered immediately, without a stream object. */
  answered(streamId: number): void {
    this.#recent.remember(streamId, "closed");
  }

  /** Refuses a stream before a stream object exists. */
  refuse(streamId: number, errorCode: number): void {
    this.#recent.remember(streamId, "abandoned");
    this.#writer.frame(encodeRstStream(streamId, errorCode));
  }

  /** Handles a late frame on a stream that is not open. */
  late(streamId: number): void {
    if (this.#recent.fateOf(streamId) !== "abandoned") {
      this.reset(streamId, errorCodes.streamClosed);
    }
  }

  /** Sends RST_STREAM for a violation on a stream that is not open. */
  reset(streamId: number, errorCode: number): void {
    this.#guard.reset();
    this.#writer.frame(encodeRstStream(streamId, errorCode));
  }

  /**
   * @param takesAny true: the connection accepts no new streams, so unknown streams are not an error
   * @throws Http2Error for stream 0 and for streams that the client has not opened
   */
  checkOpened(streamId: number, what: string, takesAny: boolean): void {
    if (streamId === 0 || streamId % 2 === 0 || (streamId > this.#lastId && !takesAny)) {
      throw new Http2Error(errorCodes.protocolError, `${what} on stream ${streamId}, which is not open`);
    }
  }
}
