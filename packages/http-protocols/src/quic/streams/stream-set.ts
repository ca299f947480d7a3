import { QuicError, transportErrors } from "../quic-error.ts";
import type { NumericParameters } from "../tls/transport-parameters.ts";
import { type ByteWriter, varintBytes } from "../wire/byte-writer.ts";
import { type Frame, frameTypes, streamBits } from "../wire/frames.ts";
import { isBidi, QuicStream, type StreamHost } from "./quic-stream.ts";
import type { SentFrame } from "./sent-frame.ts";
import { type ControlKind, controlFrameBytes, writeControlFrame } from "./stream-control-frames.ts";
import { inSendingOrder } from "./stream-priority.ts";

/** `bidi`: both sides send. `uni`: only the side that opened it sends. */
type StreamKind = "bidi" | "uni";
const kindOf = (streamId: number): StreamKind => (isBidi(streamId) ? "bidi" : "uni");

/** Streams that one side opens. */
interface Opened {
  /** Number of streams that were opened so far. */
  count: number;
  /** Maximum number of streams that may be opened, over the life of the connection. */
  limit: number;
}

export interface StreamSetEvents {
  /** Called when the peer has opened a stream. */
  onStream(stream: QuicStream): void;
  /** Called when both directions of a stream have ended and the peer knows it. */
  onStreamClosed(stream: QuicStream): void;
  /** Called when there are frames to send. */
  onWake(): void;
}

/**
 * All streams of a connection, with its flow control. Source: RFC 9000, sections 2 to 4
 *
 * Last two bits of a stream ID: 0 is opened by the client, 1 by the server. With 2 added, only that side
 * sends. IDs of one kind grow by 4.
 */
export class StreamSet implements StreamHost {
  readonly #role: 0 | 1;
  readonly #own: Readonly<NumericParameters>;
  readonly #events: StreamSetEvents;
  /** Streams that are not over, by ID. */
  readonly #streams = new Map<number, QuicStream>();
  /** Streams of the peer; their limits grow as streams end. */
  readonly #peerOpened: Readonly<Record<StreamKind, Opened>>;
  /** Streams of this side; the peer raises the limits. */
  readonly #weOpened: Readonly<Record<StreamKind, Opened>> = {
    bidi: { count: 0, limit: 0 },
    uni: { count: 0, limit: 0 },
  };
  /** The peer's limits; undefined before its handshake contained them. */
  #peer: Readonly<NumericParameters> | undefined;
  /** Streams that have bytes to send, in the order of sending. */
  readonly #sendable = new Set<QuicStream>();
  /** Streams that need a control frame, by kind of the frame. */
  readonly #controls: Readonly<Record<ControlKind, Set<QuicStream>>> = {
    resetStream: new Set(),
    stopSending: new Set(),
    maxStreamData: new Set(),
  };
  /** Streams whose `onWritable` must be called, between two datagrams. */
  readonly #drained = new Set<QuicStream>();
  /** True after the priority of a stream was set. */
  #hasPriorities = false;
  /** True when MAX_DATA must be sent. */
  #maxDataDue = false;
  /** True for kinds of streams for which MAX_STREAMS must be sent. */
  readonly #maxStreamsDue = { bidi: false, uni: false };
  /** Number of bytes that the peer sent, up to the highest offset of each stream. */
  #receivedBytes = 0;
  /** Number of bytes that the application has processed. */
  #consumedBytes = 0;
  /** Total number of bytes that the peer may send. A larger limit is announced when half of the window is consumed. */
  #receiveLimit: number;
  /** Number of bytes sent, without retransmissions; the peer's limit applies to it. */
  #sentBytes = 0;
  /** Total number of bytes that the peer accepts. */
  #sendLimit = 0;

  /** @param own limits that this side announced */
  constructor(role: "client" | "server", own: Readonly<NumericParameters>, events: StreamSetEvents) {
    this.#role = role === "client" ? 0 : 1;
    this.#own = own;
    this.#events = events;
    this.#receiveLimit = own.maxData;
    this.#peerOpened = {
      bidi: { count: 0, limit: own.maxStreamsBidi },
      uni: { count: 0, limit: own.maxStreamsUni },
    };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Number of bytes of all streams that were sent, without retransmissions; it only grows. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Applies the peer's parameters. Streams can be opened from now on. */
  onPeerParameters(peer: Readonly<NumericParameters>): void {
    this.#peer = peer;
    this.#sendLimit = peer.maxData;
    this.#weOpened.bidi.limit = peer.maxStreamsBidi;
    this.#weOpened.uni.limit = peer.maxStreamsUni;
  }

  /** @returns undefined while the peer allows no more streams */
  open(kind: StreamKind): QuicStream | undefined {
    const opened = this.#weOpened[kind];
    if (this.#peer === undefined || opened.count >= opened.limit) {
      return undefined;
    }
    const id = opened.count * 4 + this.#role + (kind === "uni" ? 2 : 0);
    opened.count++;
    return this.#create(id);
  }

  /**
   * Handles a frame about streams.
   * @returns false for a frame of another kind
   */
  receive(frame: Frame): boolean {
    switch (frame.kind) {
      case "stream":
        this.#find(frame.streamId, "receive")?.receive(frame.offset, frame.data, frame.fin);
        return true;
      case "resetStream":
        this.#find(frame.streamId, "receive")?.receiveReset(frame.code, frame.finalSize);
        return true;
      case "streamDataBlocked":
        this.#find(frame.streamId, "receive");
        return true;
      case "stopSending":
        this.#find(frame.streamId, "send")?.receiveStopSending(frame.code);
        return true;
      case "maxStreamData":
        this.#find(frame.streamId, "send")?.receiveLimit(frame.limit);
        return true;
      case "maxData":
        this.#sendLimit = Math.max(this.#sendLimit, frame.limit);
        return true;
      case "maxStreams": {
        const opened = this.#weOpened[frame.bidi ? "bidi" : "uni"];
        opened.limit = Math.max(opened.limit, frame.limit);
        return true;
      }
      case "dataBlocked":
      case "streamsBlocked":
        return true;
      default:
        return false;
    }
  }

  /** True when a packet with frames of streams can be built. */
  get hasFrames(): boolean {
    const { resetStream, stopSending, maxStreamData } = this.#controls;
    if (
      this.#maxDataDue ||
      this.#maxStreamsDue.bidi ||
      this.#maxStreamsDue.uni ||
      resetStream.size + stopSending.size + maxStreamData.size > 0
    ) {
      return true;
    }
    const credit = this.#sendLimit - this.#sentBytes;
    for (const stream of this.#sendable) {
      if (credit > 0 || stream.hasLost || stream.unsentBytes === 0) {
        return true;
      }
    }
    return false;
  }

  /** Writes as much as fits into `room` bytes, and adds it to `sent`. */
  writeFrames(writer: ByteWriter, room: number, sent: SentFrame[]): void {
    const end = writer.length + room;
    this.#writeLimits(writer, end, sent);
    for (const kind of ["resetStream", "stopSending", "maxStreamData"] as const) {
      for (const stream of this.#controls[kind]) {
        if (end - writer.length < controlFrameBytes) {
          return;
        }
        this.#controls[kind].delete(stream);
        if (writeControlFrame(writer, kind, stream)) {
          sent.push({ kind, stream });
        }
      }
    }
    // A stream that is moved to the end of the queue would be served again in this loop.
    let turns = this.#sendable.size;
    const ordered = this.#hasPriorities && turns > 1 ? inSendingOrder(this.#sendable) : this.#sendable;
    for (const stream of ordered) {
      if (turns-- === 0 || !this.#writeData(writer, end, stream, sent)) {
        return;
      }
    }
  }

  /** Tells streams that there is space again. Must be called while no packet is being built. */
  notifyDrained(): boolean {
    const drained = [...this.#drained];
    this.#drained.clear();
    for (const stream of drained) {
      stream.handler?.onWritable();
    }
    return drained.length > 0;
  }

  /** Handles the acknowledgment of a frame. */
  onAcked(frame: SentFrame): void {
    if (frame.kind === "stream") {
      frame.stream.onAcked(frame.piece, frame.fin);
    } else if (frame.kind === "resetStream") {
      frame.stream.onResetAcked();
    }
  }

  /** Marks a lost frame to be sent again, unless its stream is over. */
  onLost(frame: SentFrame): void {
    switch (frame.kind) {
      case "stream":
        frame.stream.onLost(frame.piece, frame.fin);
        break;
      case "maxData":
        this.#maxDataDue = true;
        break;
      case "maxStreams":
        this.#maxStreamsDue[frame.bidi ? "bidi" : "uni"] = true;
        break;
      case "resetStream":
        if (this.#streams.has(frame.stream.id)) {
          this.#controls.resetStream.add(frame.stream);
        }
        break;
      case "stopSending":
      case "maxStreamData":
        if (this.#streams.has(frame.stream.id)) {
          this.#controls[frame.kind].add(frame.stream);
        }
    }
  }

  /** Removes all streams at the end of the connection. */
  close(): void {
    this.#streams.clear();
    this.#sendable.clear();
    this.#drained.clear();
    for (const streams of Object.values(this.#controls)) {
      streams.clear();
    }
  }

  /** Adds the stream to the queue of sending streams. */
  onSendable(stream: QuicStream): void {
    if (stream.isSendable && this.#streams.has(stream.id)) {
      this.#sendable.add(stream);
      this.#events.onWake();
    }
  }

  onControlFrame(kind: ControlKind, stream: QuicStream): void {
    if (this.#streams.has(stream.id)) {
      this.#controls[kind].add(stream);
      this.#events.onWake();
    }
  }

  onReceivedBytes(bytes: number): void {
    this.#receivedBytes += bytes;
    if (this.#receivedBytes > this.#receiveLimit) {
      throw new QuicError(transportErrors.flowControlError, "the connection is beyond its limit");
    }
  }

  /** Raises the limit for all streams when half of it is used up. */
  onConsumedBytes(bytes: number): void {
    this.#consumedBytes += bytes;
    if (this.#receiveLimit - this.#consumedBytes < this.#own.maxData / 2) {
      this.#receiveLimit = this.#consumedBytes + this.#own.maxData;
      this.#maxDataDue = true;
      this.#events.onWake();
    }
  }

  /** Removes a stream that has ended. The peer may open another stream instead. */
  onClosed(stream: QuicStream): void {
    if (!this.#streams.delete(stream.id)) {
      return;
    }
    this.#sendable.delete(stream);
    this.#drained.delete(stream);
    for (const streams of Object.values(this.#controls)) {
      streams.delete(stream);
    }
    if ((stream.id & 1) !== this.#role) {
      const kind = kindOf(stream.id);
      const opened = this.#peerOpened[kind];
      const initial = kind === "bidi" ? this.#own.maxStreamsBidi : this.#own.maxStreamsUni;
      opened.limit++;
      // The peer gets a new limit each time half of its streams have ended.
      if (opened.limit % Math.max(Math.floor(initial / 2), 1) === 0) {
        this.#maxStreamsDue[kind] = true;
      }
    }
    this.#events.onStreamClosed(stream);
  }

  onPriority(): void {
    this.#hasPriorities = true;
  }

  onDrained(stream: QuicStream): void {
    this.#drained.add(stream);
  }

  /**
   * The stream of a frame; it is opened if the peer may do so.
   * @param direction that the frame needs
   * @returns undefined for an ended stream
   */
  #find(id: number, direction: "receive" | "send"): QuicStream | undefined {
    const ours = (id & 1) === this.#role;
    if (!isBidi(id) && ours === (direction === "receive")) {
      throw new QuicError(transportErrors.streamStateError, `stream ${id} has no such direction`);
    }
    const stream = this.#streams.get(id);
    if (stream !== undefined) {
      return stream;
    }
    const index = Math.floor(id / 4);
    const opened = (ours ? this.#weOpened : this.#peerOpened)[kindOf(id)];
    if (index < opened.count) {
      return undefined;
    }
    if (ours) {
      throw new QuicError(transportErrors.streamStateError, `stream ${id} is not open`);
    }
    if (index >= opened.limit) {
      throw new QuicError(transportErrors.streamLimitError, `stream ${id} is beyond the limit`);
    }
    // Opening a stream also opens all earlier streams of its kind: RFC 9000, section 3.2.
    while (opened.count <= index) {
      const created = this.#create(opened.count * 4 + (id & 3));
      opened.count++;
      this.#events.onStream(created);
    }
    return this.#streams.get(id);
  }

  /** Makes a stream with the limits of its kind and side. Source: RFC 9000, section 18.2 */
  #create(id: number): QuicStream {
    const ours = (id & 1) === this.#role;
    const bidi = isBidi(id);
    const peer = this.#peer;
    const send = bidi
      ? ours
        ? peer?.maxStreamDataBidiRemote
        : peer?.maxStreamDataBidiLocal
      : peer?.maxStreamDataUni;
    const receive = bidi
      ? ours
        ? this.#own.maxStreamDataBidiLocal
        : this.#own.maxStreamDataBidiRemote
      : this.#own.maxStreamDataUni;
    const stream = new QuicStream(id, this, {
      receive: bidi || !ours ? receive : undefined,
      send: bidi || ours ? (send ?? 0) : undefined,
    });
    this.#streams.set(id, stream);
    return stream;
  }

  /** Writes MAX_DATA and MAX_STREAMS if they are needed. */
  #writeLimits(writer: ByteWriter, end: number, sent: SentFrame[]): void {
    if (this.#maxDataDue && end - writer.length >= controlFrameBytes) {
      this.#maxDataDue = false;
      writer.u8(frameTypes.maxData).varint(this.#receiveLimit);
      sent.push({ kind: "maxData" });
    }
    for (const kind of ["bidi", "uni"] as const) {
      if (this.#maxStreamsDue[kind] && end - writer.length >= controlFrameBytes) {
        this.#maxStreamsDue[kind] = false;
        writer
          .u8(kind === "bidi" ? frameTypes.maxStreamsBidi : frameTypes.maxStreamsUni)
          .varint(this.#peerOpened[kind].limit);
        sent.push({ kind: "maxStreams", bidi: kind === "bidi" });
      }
    }
  }

  /** @returns false when the packet is full */
  #writeData(writer: ByteWriter, end: number, stream: QuicStream, sent: SentFrame[]): boolean {
    const idBytes = varintBytes(stream.id);
    // Subtracts the frame's header: type, ID, offset, and a length of two bytes.
    const room = end - writer.length - 1 - idBytes - varintBytes(stream.sentEnd) - 2;
    if (room <= 0) {
      return false;
    }
    const sentBefore = stream.sentEnd;
    const taken = stream.take(room, Math.max(this.#sendLimit - this.#sentBytes, 0));
    this.#sendable.delete(stream);
    if (taken === undefined) {
      // The connection's limit or the stream's limit stops it. A new limit of the stream adds it again.
      if (stream.isSendable) {
        this.#sendable.add(stream);
      }
      return true;
    }
    this.#sentBytes += stream.sentEnd - sentBefore;
    const { piece, fin } = taken;
    const offsetBit = piece.offset > 0 ? streamBits.offset : 0;
    writer
      .u8(frameTypes.stream | streamBits.length | offsetBit | (fin ? streamBits.fin : 0))
      .varint(stream.id);
    if (piece.offset > 0) {
      writer.varint(piece.offset);
    }
    writer.varint2(piece.length);
    stream.read(piece, (bytes) => writer.bytes(bytes));
    sent.push({ kind: "stream", stream, piece, fin });
    if (stream.isSendable) {
      // The stream moves to the end of the queue, so that streams take turns.
      this.#sendable.add(stream);
    }
    return true;
  }
}
