import type { Duplex } from "node:stream";
import { decodeHeaderBlock } from "../http2/decode-header-block.ts";
import { FloodGuard } from "../http2/flood-guard.ts";
import { FrameDispatcher, type FrameHandler } from "../http2/frame-dispatcher.ts";
import { FrameReader } from "../http2/frame-reader.ts";
import {
  clientPreface,
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrameHeader,
  encodeGoAway,
  encodePingAck,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameTypes,
  settingIds,
  settingsAck,
} from "../http2/frames.ts";
import { HpackDecoder } from "../http2/hpack-decoder.ts";
import { Http2Error } from "../http2/http2-error.ts";
import type { Headers, Http2Outcome, Http2Stream } from "./http2-stream.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { SendWindow } from "./send-window.ts";

/**
 * Size limit of a header block in bytes. Servers send about a hundred bytes, and a few thousand with the details of an
 * error.
 */
const maxHeaderBlockBytes = 65_536;
/** Size limit of a header block's fields in bytes; each field counts 32 bytes extra. */
const maxHeaderListBytes = 131_072;
/** Size limit of a response body in bytes. */
const maxResponseBytes = 4_194_304;
/** Maximum number of bytes of unsent control frames, for a peer that causes answers and does not read them. */
const maxUnsentControlBytes = 1_048_576;
/** Server push is off, and the peer compresses headers without a dynamic table. */
const ownSettings = encodeSettings(
  new Map([
    [settingIds.headerTableSize, 0],
    [settingIds.enablePush, 0],
  ]),
);
/** Largest stream ID. Source: RFC 9113, section 5.1.1 */
const maxStreamId = 2 ** 31 - 1;
const nothing = Buffer.alloc(0);

export interface Http2Listener {
  /** Called when the peer's settings have arrived. Requests may then start. */
  onReady(): void;
  /** Called when the peer or this side accepts no new requests. Running requests continue. */
  onGoingAway(): void;
  /** Called once when the socket has closed, after the running requests have failed. */
  onEnd(reason: string): void;
}

/**
 * The client side of an HTTP/2 connection, for requests with a short body and a short response. Node's `node:http2`
 * uses ten megabytes of memory, ten more megabytes for TLS, and more under load. That is too much for an agent that
 * runs beside an application. This class implements only the parts of HTTP/2 that a gRPC call needs. Source: RFC 9113,
 * RFC 7541
 */
export class Http2Connection implements FrameHandler {
  readonly #socket: Duplex;
  readonly #listener: Http2Listener;
  readonly #dispatcher = new FrameDispatcher(this, { maxHeaderBlockBytes, mayBeginWithGoAway: true });
  readonly #reader = new FrameReader(this.#dispatcher);
  readonly #hpack = new HpackDecoder({ maxListBytes: maxHeaderListBytes, maxTableBytes: 0 });
  readonly #streams = new Map<number, Http2Stream>();
  /** Requests that have not begun, because the peer's limit of streams is reached. */
  #waiting: Http2Stream[] = [];
  readonly #headersOf = new WeakMap<Http2Stream, Buffer>();
  #nextStreamId = 1;
  readonly #sending = new SendWindow(
    (bytes) => this.#write(bytes),
    () => this.#guard.dataSent(),
  );
  readonly #received = new ReceiveWindow(defaultWindowBytes);
  readonly #guard = new FloodGuard();
  #peerMaxFrameBytes = defaultFrameBytes;
  #peerMaxStreams = Number.POSITIVE_INFINITY;
  #isReady = false;
  #isGoingAway = false;
  #isEnded = false;
  #receivedAt = performance.now();

  /** @param socket connected socket; from now on only the connection uses it */
  constructor(socket: Duplex, listener: Http2Listener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#end(error.message));
    socket.on("close", () => this.#end("the connection was closed"));
    socket.on("end", () => this.destroy("the peer closed the connection"));
    socket.write(Buffer.concat([clientPreface, ownSettings]));
  }

  /** True when new requests can use the connection. */
  get isReady(): boolean {
    return this.#isReady && !this.#isGoingAway && !this.#isEnded;
  }

  /** Time when bytes were last received, on the clock of `performance.now()`. */
  get receivedAt(): number {
    return this.#receivedAt;
  }

  /**
   * Sends a request. @param headers a header block
   * @param done called once with the outcome, never before this method returns
   */
  request(headers: Buffer, body: Buffer, done: (outcome: Http2Outcome) => void): Http2Stream {
    const stream: Http2Stream = {
      id: 0,
      body,
      headers: undefined,
      response: nothing,
      receivedBytes: 0,
      received: new ReceiveWindow(defaultWindowBytes),
      done,
    };
    if (this.isReady) {
      this.#headersOf.set(stream, headers);
      this.#waiting.push(stream);
      this.#startWaiting();
    } else {
      queueMicrotask(() => done({ isUntouched: true, message: "the connection takes no requests" }));
    }
    return stream;
  }

  /** Cancels a request; its `done` is not called any more. */
  cancel(stream: Http2Stream): void {
    if (stream.id === 0) {
      this.#waiting = this.#waiting.filter((other) => other !== stream);
    } else if (this.#remove(stream)) {
      this.#write(encodeRstStream(stream.id, errorCodes.cancel));
      this.#afterStream();
    }
  }

  /** Accepts no new requests; the socket closes when the running requests have ended. */
  close(): void {
    if (!this.#isGoingAway) {
      this.#isGoingAway = true;
      this.#listener.onGoingAway();
    }
    this.#afterStream();
  }

  /** Closes the connection immediately. @param reason error text of the running requests */
  destroy(reason: string): void {
    this.#end(reason);
  }

  #write(bytes: Buffer): void {
    if (!this.#isEnded) {
      this.#socket.write(bytes);
    }
  }

  #startWaiting(): void {
    while (this.#streams.size < this.#peerMaxStreams && this.isReady) {
      const stream = this.#waiting.shift();
      const headers = stream && this.#headersOf.get(stream);
      if (stream === undefined || headers === undefined) {
        break;
      }
      stream.id = this.#nextStreamId;
      this.#nextStreamId += 2;
      this.#streams.set(stream.id, stream);
      this.#socket.cork();
      this.#writeHeaders(stream, headers);
      if (stream.body.length > 0) {
        this.#sending.send(stream.id, stream.body);
      }
      this.#socket.uncork();
      if (this.#nextStreamId > maxStreamId) {
        this.close(); // All stream IDs are used; the next connection starts again.
      }
    }
    if (!this.isReady && this.#waiting.length > 0) {
      const untouched = this.#waiting.splice(0);
      queueMicrotask(() => {
        for (const { done } of untouched) {
          done({ isUntouched: true, message: "the connection takes no requests" });
        }
      });
    }
  }

  #writeHeaders({ id, body }: Http2Stream, block: Buffer): void {
    const first = block.subarray(0, this.#peerMaxFrameBytes);
    let at = first.length;
    const endStream = body.length === 0 ? frameFlags.endStream : 0;
    this.#write(encodeFrameHeader(first.length, frameTypes.headers, endHeaders(at, block) | endStream, id));
    this.#write(first);
    while (at < block.length) {
      const next = block.subarray(at, at + this.#peerMaxFrameBytes);
      at += next.length;
      this.#write(encodeFrameHeader(next.length, frameTypes.continuation, endHeaders(at, block), id));
      this.#write(next);
    }
  }

  #receive(chunk: Buffer): void {
    this.#receivedAt = performance.now();
    try {
      this.#reader.push(chunk);
    } catch (error) {
      if (!(error instanceof Http2Error)) {
        throw error;
      }
      this.#write(encodeGoAway(0, error.code));
      this.#end(`the peer broke HTTP/2: ${error.message}`);
    }
  }

  /** Handles a DATA frame. The frame dispatcher calls this method and the following methods. */
  data(streamId: number, data: Buffer, frameBytes: number, endsStream: boolean): void {
    this.#take(0, this.#received, frameBytes);
    if (data.length === 0 && !endsStream) {
      this.#guard.idleFrame();
    }
    const stream = this.#streamOf(streamId);
    if (stream === undefined) {
      return;
    }
    if (stream.headers === undefined) {
      throw protocolError("data before headers");
    }
    stream.receivedBytes += data.length;
    if (stream.receivedBytes > maxResponseBytes) {
      this.cancel(stream);
      stream.done({ isUntouched: false, message: `a response of more than ${maxResponseBytes} bytes` });
      return;
    }
    stream.response = withPiece(stream.response, stream.receivedBytes - data.length, data);
    if (endsStream) {
      this.#finish(stream, undefined);
    } else {
      this.#take(streamId, stream.received, frameBytes);
    }
  }

  headers(streamId: number, block: Buffer, endsStream: boolean): void {
    const stream = this.#streamOf(streamId);
    if (stream === undefined) {
      return;
    }
    const fields = decodeHeaderBlock(this.#hpack, block);
    if (fields === undefined) {
      this.cancel(stream);
      stream.done({ isUntouched: false, message: `headers of more than ${maxHeaderListBytes} bytes` });
      return;
    }
    const headers: Headers = new Map(fields.map(({ name, value }) => [name, value]));
    if (stream.headers !== undefined) {
      this.#finish(stream, headers);
    } else if (!endsStream && headers.get(":status")?.startsWith("1") === true) {
      // This is an interim response; the final response follows.
      this.#guard.idleFrame();
    } else {
      stream.headers = headers;
      if (endsStream) {
        this.#finish(stream, undefined);
      }
    }
  }

  #finish(stream: Http2Stream, trailers: Headers | undefined): void {
    if (this.#sending.has(stream.id)) {
      // The server responded before it got the whole request, so it does not need the rest.
      this.#write(encodeRstStream(stream.id, errorCodes.noError));
    }
    this.#remove(stream);
    this.#guard.streamEnded();
    stream.done({
      headers: stream.headers ?? new Map(),
      trailers,
      body: stream.response.subarray(0, stream.receivedBytes),
    });
    this.#afterStream();
  }

  reset(streamId: number, resetCode: number): void {
    const stream = this.#streamOf(streamId);
    if (stream !== undefined) {
      this.#remove(stream);
      stream.done({
        isUntouched: resetCode === errorCodes.refusedStream,
        resetCode,
        message: `the call was reset with HTTP/2 error ${resetCode}`,
      });
      this.#afterStream();
    }
  }

  settings(settings: ReadonlyMap<number, number>): void {
    this.#guard.idleFrame();
    this.#writeControl(settingsAck);
    this.#peerMaxStreams = settings.get(settingIds.maxConcurrentStreams) ?? this.#peerMaxStreams;
    this.#peerMaxFrameBytes = settings.get(settingIds.maxFrameSize) ?? this.#peerMaxFrameBytes;
    this.#sending.setMaxFrame(this.#peerMaxFrameBytes);
    const initialWindow = settings.get(settingIds.initialWindowSize);
    this.#socket.cork();
    if (initialWindow !== undefined) {
      this.#sending.setInitial(initialWindow);
    }
    this.#socket.uncork();
    if (this.#isReady) {
      this.#startWaiting();
    } else {
      this.#isReady = true;
      if (!this.#isGoingAway) {
        this.#listener.onReady();
      }
    }
  }

  ping(payload: Buffer): void {
    this.#guard.idleFrame();
    this.#writeControl(encodePingAck(payload));
  }

  idleFrame(): void {
    this.#guard.idleFrame();
  }

  goAway(lastStreamId: number): void {
    this.#isGoingAway = true;
    const untouched = [...this.#streams.values()].filter(({ id }) => id > lastStreamId);
    for (const stream of untouched) {
      this.#remove(stream);
      stream.done({ isUntouched: true, message: "the server is closing the connection" });
    }
    this.#startWaiting();
    this.#listener.onGoingAway();
    this.#afterStream();
  }

  windowUpdate(streamId: number, increment: number): void {
    this.#socket.cork();
    try {
      if (streamId === 0) {
        this.#sending.grantConnection(increment);
      } else if (
        this.#streamOf(streamId) !== undefined &&
        // A larger window is useless once the whole body was sent.
        this.#sending.has(streamId) &&
        !this.#sending.grantStream(streamId, increment)
      ) {
        throw new Http2Error(errorCodes.flowControlError, "a window that is too large");
      }
    } finally {
      this.#socket.uncork();
    }
  }

  /** Counts received data, and returns its bytes to the window. */
  #take(streamId: number, window: ReceiveWindow, frameBytes: number): void {
    if (!window.take(frameBytes)) {
      throw new Http2Error(errorCodes.flowControlError, "data beyond the window");
    }
    const increment = window.grant();
    if (increment > 0) {
      this.#write(encodeWindowUpdate(streamId, increment));
    }
  }

  /** @returns true when the request was running */
  #remove({ id }: Http2Stream): boolean {
    this.#sending.drop(id);
    return this.#streams.delete(id);
  }

  #writeControl(bytes: Buffer): void {
    if (this.#socket.writableLength > maxUnsentControlBytes + this.#bodiesBytes()) {
      throw new Http2Error(errorCodes.enhanceYourCalm, "answers that nobody reads");
    }
    this.#write(bytes);
  }

  #bodiesBytes(): number {
    let bytes = 0;
    for (const { body } of this.#streams.values()) {
      bytes += body.length;
    }
    return bytes;
  }

  /** @returns undefined for a stream that has ended; late frames are ignored */
  #streamOf(streamId: number): Http2Stream | undefined {
    if (streamId === 0 || streamId % 2 === 0 || streamId >= this.#nextStreamId) {
      throw protocolError(`a frame of stream ${streamId}, which was never begun`);
    }
    return this.#streams.get(streamId);
  }

  #afterStream(): void {
    if (!this.#isGoingAway) {
      this.#startWaiting();
    } else if (this.#streams.size === 0 && !this.#isEnded) {
      this.#end("the connection was closed");
    }
  }

  #end(reason: string): void {
    if (this.#isEnded) {
      return;
    }
    this.#isEnded = true;
    this.#dispatcher.stop();
    this.#socket.end();
    this.#socket.destroy();
    const untouched = this.#waiting.splice(0);
    const lost = [...this.#streams.values()];
    this.#streams.clear();
    for (const { done } of untouched) {
      done({ isUntouched: true, message: reason });
    }
    for (const { done } of lost) {
      done({ isUntouched: false, message: reason });
    }
    this.#listener.onEnd(reason);
  }
}

function protocolError(message: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, message);
}

function endHeaders(end: number, block: Buffer): number {
  return end >= block.length ? frameFlags.endHeaders : 0;
}

/**
 * Appends a piece to the bytes of a response, in one buffer. Many small pieces therefore use no more memory than one
 * large piece.
 */
function withPiece(response: Buffer, usedBytes: number, piece: Buffer): Buffer {
  const neededBytes = usedBytes + piece.length;
  let buffer = response;
  if (neededBytes > buffer.length) {
    buffer = Buffer.allocUnsafe(Math.max(neededBytes, 2 * usedBytes));
    response.copy(buffer, 0, 0, usedBytes);
  }
  piece.copy(buffer, usedBytes);
  return buffer;
}
