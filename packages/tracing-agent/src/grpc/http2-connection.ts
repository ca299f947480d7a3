import type { Duplex } from "node:stream";
import {
  clientPreface,
  dataOf,
  decodeHeaderBlock,
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrame,
  encodeFrameHeader,
  encodeGoAway,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  FrameReader,
  type FrameSink,
  frameFlags,
  frameTypes,
  HeaderFragments,
  HpackDecoder,
  Http2Error,
  headerBlockOf,
  maxWindowBytes,
  settingIds,
  settingsOf,
} from "wire/http2";
import type { Headers, Http2Outcome, Http2Stream } from "./http2-stream.ts";

/** Longest header block that is read: what servers send is some hundred bytes, an error's details a few thousand. */
const maxHeaderBlockBytes = 65_536;
/** Of a header block's fields, each counted with 32 bytes more. */
const maxHeaderListBytes = 131_072;
/** Longest body of a response. */
const maxResponseBytes = 4_194_304;
/** A peer that asks for answers and does not read them. */
const maxUnsentControlBytes = 1_048_576;
/** Nothing is pushed, and headers come compressed without a table. */
const ownSettings = encodeSettings(
  new Map([
    [settingIds.headerTableSize, 0],
    [settingIds.enablePush, 0],
  ]),
);
const settingsAck = encodeFrame(frameTypes.settings, frameFlags.ack, 0, Buffer.alloc(0));
const returnWindowBytes = defaultWindowBytes >> 1;
const maxStreamId = 2 ** 31 - 1;

export interface Http2Listener {
  /** The peer's settings are here: requests may begin. */
  onReady(): void;
  /** The peer takes no new requests; those under way go on. */
  onGoingAway(): void;
  /** The socket is gone. Called once; the requests under way have failed before. */
  onEnd(reason: string): void;
}

/**
 * The client's end of one HTTP/2 connection, for requests with a short body and a short answer. Node's own
 * `node:http2` costs ten megabytes of memory with the TLS that it loads, and as much again under load, which is more
 * than an agent beside an application may have; this knows what a gRPC call needs and no more. Nothing is pushed to it,
 * and it asks the peer to compress headers without a table.
 * Source: RFC 9113, RFC 7541
 */
export class Http2Connection implements FrameSink {
  readonly #socket: Duplex;
  readonly #listener: Http2Listener;
  readonly #reader = new FrameReader(this);
  readonly #hpack = new HpackDecoder({ maxListBytes: maxHeaderListBytes, maxTableBytes: 0 });
  readonly #streams = new Map<number, Http2Stream>();
  /** Not begun, because the peer has as many as it takes. */
  #waiting: Http2Stream[] = [];
  readonly #headersOf = new WeakMap<Http2Stream, Buffer>();
  #nextStreamId = 1;
  #sendWindow = defaultWindowBytes;
  #unreturnedBytes = 0;
  #peerInitialWindow = defaultWindowBytes;
  #peerMaxFrameBytes = defaultFrameBytes;
  #peerMaxStreams = Number.POSITIVE_INFINITY;
  #isReady = false;
  #isGoingAway = false;
  #isEnded = false;
  #continued: HeaderFragments | undefined;
  #receivedAt = performance.now();

  /** @param socket connected; from here on it belongs to the connection */
  constructor(socket: Duplex, listener: Http2Listener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#end(error.message));
    socket.on("close", () => this.#end("the connection was closed"));
    socket.on("end", () => this.destroy("the peer closed the connection"));
    socket.write(Buffer.concat([clientPreface, ownSettings]));
  }

  /** Whether new requests can go over it. */
  get isReady(): boolean {
    return this.#isReady && !this.#isGoingAway && !this.#isEnded;
  }

  /** When anything was received last, on the clock of `performance.now()`. */
  get receivedAt(): number {
    return this.#receivedAt;
  }

  /**
   * Sends a request. @param headers a header block
   * @param done called once, never before this returns
   */
  request(headers: Buffer, body: Buffer, done: (outcome: Http2Outcome) => void): Http2Stream {
    const stream: Http2Stream = {
      id: 0,
      body,
      sentBytes: 0,
      sendWindow: 0,
      headers: undefined,
      parts: [],
      receivedBytes: 0,
      unreturnedBytes: 0,
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

  /** Gives up a request; its `done` is not called any more. */
  cancel(stream: Http2Stream): void {
    if (stream.id === 0) {
      this.#waiting = this.#waiting.filter((other) => other !== stream);
    } else if (this.#streams.delete(stream.id)) {
      this.#write(encodeRstStream(stream.id, errorCodes.cancel));
      this.#afterStream();
    }
  }

  /** No new requests; the socket closes when those under way have ended. */
  close(): void {
    if (!this.#isGoingAway) {
      this.#isGoingAway = true;
      this.#listener.onGoingAway();
    }
    this.#afterStream();
  }

  /** Ends it at once. @param reason what the requests under way get to hear */
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
      stream.sendWindow = this.#peerInitialWindow;
      this.#nextStreamId += 2;
      this.#streams.set(stream.id, stream);
      this.#socket.cork();
      this.#writeHeaders(stream, headers);
      this.#sendBody(stream);
      this.#socket.uncork();
      if (this.#nextStreamId > maxStreamId) {
        this.close(); // No ids are left: the next connection has them again.
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

  /** As much of the body as both windows have room for. */
  #sendBody(stream: Http2Stream): void {
    const { body, id } = stream;
    while (stream.sentBytes < body.length) {
      const room = Math.min(stream.sendWindow, this.#sendWindow, this.#peerMaxFrameBytes);
      if (room <= 0) {
        return;
      }
      const piece = body.subarray(stream.sentBytes, stream.sentBytes + room);
      stream.sentBytes += piece.length;
      stream.sendWindow -= piece.length;
      this.#sendWindow -= piece.length;
      const flags = stream.sentBytes === body.length ? frameFlags.endStream : 0;
      this.#write(encodeFrameHeader(piece.length, frameTypes.data, flags, id));
      this.#write(piece);
    }
  }

  #sendBodies(): void {
    this.#socket.cork();
    for (const stream of this.#streams.values()) {
      this.#sendBody(stream);
    }
    this.#socket.uncork();
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

  /** What the reader calls. */
  frame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (this.#isEnded) {
      return;
    }
    if (this.#continued !== undefined && type !== frameTypes.continuation) {
      throw protocolError("a header block that is broken off");
    }
    if (!this.#isReady && type !== frameTypes.settings && type !== frameTypes.goAway) {
      throw protocolError("a connection that does not begin with settings");
    }
    switch (type) {
      case frameTypes.data:
        this.#takeData(flags, streamId, payload);
        break;
      case frameTypes.headers:
        this.#takeHeaders(flags, streamId, payload);
        break;
      case frameTypes.continuation:
        this.#takeContinuation(flags, streamId, payload);
        break;
      case frameTypes.rstStream:
        this.#takeReset(streamId, payload);
        break;
      case frameTypes.settings:
        this.#takeSettings(flags, streamId, payload);
        break;
      case frameTypes.ping:
        this.#takePing(flags, streamId, payload);
        break;
      case frameTypes.goAway:
        this.#takeGoaway(payload);
        break;
      case frameTypes.windowUpdate:
        this.#takeWindowUpdate(streamId, payload);
        break;
      case frameTypes.pushPromise:
        throw protocolError("a push, which was not allowed");
      default: // Frames of other types are to be ignored.
    }
  }

  #takeData(flags: number, streamId: number, payload: Buffer): void {
    this.#unreturnedBytes += payload.length;
    if (this.#unreturnedBytes > returnWindowBytes) {
      this.#write(encodeWindowUpdate(0, this.#unreturnedBytes));
      this.#unreturnedBytes = 0;
    }
    const stream = this.#streamOf(streamId);
    if (stream === undefined) {
      return;
    }
    if (stream.headers === undefined) {
      throw protocolError("data before headers");
    }
    const data = dataOf(flags, payload);
    stream.receivedBytes += data.length;
    if (stream.receivedBytes > maxResponseBytes) {
      this.cancel(stream);
      stream.done({ isUntouched: false, message: `a response of more than ${maxResponseBytes} bytes` });
      return;
    }
    stream.parts.push(Buffer.from(data));
    stream.unreturnedBytes += payload.length;
    if ((flags & frameFlags.endStream) !== 0) {
      this.#finish(stream, undefined);
    } else if (stream.unreturnedBytes > returnWindowBytes) {
      this.#write(encodeWindowUpdate(stream.id, stream.unreturnedBytes));
      stream.unreturnedBytes = 0;
    }
  }

  #takeHeaders(flags: number, streamId: number, payload: Buffer): void {
    const block = headerBlockOf(flags, streamId, payload);
    if ((flags & frameFlags.endHeaders) === 0) {
      this.#continued = new HeaderFragments(streamId, flags, block, maxHeaderBlockBytes);
    } else {
      this.#takeHeaderBlock(flags, streamId, block);
    }
  }

  #takeContinuation(flags: number, streamId: number, payload: Buffer): void {
    const continued = this.#continued;
    if (continued === undefined || continued.streamId !== streamId) {
      throw protocolError("a continuation of nothing");
    }
    continued.add(payload);
    if ((flags & frameFlags.endHeaders) !== 0) {
      this.#continued = undefined;
      this.#takeHeaderBlock(continued.flags, streamId, continued.join());
    }
  }

  /** @param flags of the HEADERS frame */
  #takeHeaderBlock(flags: number, streamId: number, block: Buffer): void {
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
    const isLast = (flags & frameFlags.endStream) !== 0;
    if (stream.headers !== undefined) {
      this.#finish(stream, headers);
    } else if (!isLast && headers.get(":status")?.startsWith("1") === true) {
      // An interim answer: the real one follows.
    } else {
      stream.headers = headers;
      if (isLast) {
        this.#finish(stream, undefined);
      }
    }
  }

  #finish(stream: Http2Stream, trailers: Headers | undefined): void {
    this.#streams.delete(stream.id);
    if (stream.sentBytes < stream.body.length) {
      // Answered before it has heard all: the rest is of no interest to it.
      this.#write(encodeRstStream(stream.id, errorCodes.noError));
    }
    stream.done({ headers: stream.headers ?? new Map(), trailers, body: Buffer.concat(stream.parts) });
    this.#afterStream();
  }

  #takeReset(streamId: number, payload: Buffer): void {
    const stream = this.#streamOf(streamId);
    const resetCode = numberOf(payload);
    if (stream !== undefined) {
      this.#streams.delete(stream.id);
      stream.done({
        isUntouched: resetCode === errorCodes.refusedStream,
        resetCode,
        message: `the call was reset with HTTP/2 error ${resetCode}`,
      });
      this.#afterStream();
    }
  }

  #takeSettings(flags: number, streamId: number, payload: Buffer): void {
    if ((flags & frameFlags.ack) !== 0) {
      return;
    }
    if (streamId !== 0) {
      throw protocolError("settings of a stream");
    }
    this.#applySettings(settingsOf(payload));
    this.#writeControl(settingsAck);
    if (this.#isReady) {
      this.#sendBodies();
      this.#startWaiting();
    } else {
      this.#isReady = true;
      if (!this.#isGoingAway) {
        this.#listener.onReady();
      }
    }
  }

  #applySettings(settings: ReadonlyMap<number, number>): void {
    this.#peerMaxStreams = settings.get(settingIds.maxConcurrentStreams) ?? this.#peerMaxStreams;
    this.#peerMaxFrameBytes = settings.get(settingIds.maxFrameSize) ?? this.#peerMaxFrameBytes;
    const initialWindow = settings.get(settingIds.initialWindowSize) ?? this.#peerInitialWindow;
    for (const stream of this.#streams.values()) {
      stream.sendWindow += initialWindow - this.#peerInitialWindow;
    }
    this.#peerInitialWindow = initialWindow;
  }

  #takePing(flags: number, streamId: number, payload: Buffer): void {
    if (payload.length !== 8 || streamId !== 0) {
      throw new Http2Error(errorCodes.frameSizeError, `a ping of ${payload.length} bytes`);
    }
    if ((flags & frameFlags.ack) === 0) {
      this.#writeControl(encodeFrame(frameTypes.ping, frameFlags.ack, 0, payload));
    }
  }

  #writeControl(bytes: Buffer): void {
    if (this.#socket.writableLength > maxUnsentControlBytes + this.#bodiesBytes()) {
      throw new Http2Error(errorCodes.enhanceYourCalm, "answers that nobody reads");
    }
    this.#write(bytes);
  }

  #bodiesBytes(): number {
    let bytes = 0;
    for (const { sentBytes } of this.#streams.values()) {
      bytes += sentBytes;
    }
    return bytes;
  }

  #takeGoaway(payload: Buffer): void {
    if (payload.length < 8) {
      throw new Http2Error(errorCodes.frameSizeError, "a goaway that is too short");
    }
    const lastStreamId = payload.readUInt32BE(0) & 0x7fff_ffff;
    this.#isGoingAway = true;
    const untouched = [...this.#streams.values()].filter(({ id }) => id > lastStreamId);
    for (const stream of untouched) {
      this.#streams.delete(stream.id);
      stream.done({ isUntouched: true, message: "the collector is closing the connection" });
    }
    this.#startWaiting();
    this.#listener.onGoingAway();
    this.#afterStream();
  }

  #takeWindowUpdate(streamId: number, payload: Buffer): void {
    const more = numberOf(payload) & 0x7fff_ffff;
    if (streamId === 0) {
      this.#sendWindow += more;
      if (this.#sendWindow > maxWindowBytes) {
        throw new Http2Error(errorCodes.flowControlError, "a window that is too large");
      }
      this.#sendBodies();
      return;
    }
    const stream = this.#streamOf(streamId);
    if (stream !== undefined) {
      stream.sendWindow += more;
      if (stream.sendWindow > maxWindowBytes) {
        throw new Http2Error(errorCodes.flowControlError, "a window that is too large");
      }
      this.#socket.cork();
      this.#sendBody(stream);
      this.#socket.uncork();
    }
  }

  /** @returns undefined for a stream that has ended: what was on its way then is ignored */
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

function numberOf(payload: Buffer): number {
  if (payload.length !== 4) {
    throw new Http2Error(errorCodes.frameSizeError, `a number of ${payload.length} bytes`);
  }
  return payload.readUInt32BE(0);
}
