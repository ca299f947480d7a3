import type { Duplex } from "node:stream";
import {
  defaultFrameBytes,
  encodeFrame,
  encodeFrameHeader,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
} from "./frames.ts";

/**
 * A payload up to this size in bytes is copied behind its frame's header. A larger payload is written without a copy.
 */
const maxJoinedBytes = 4 * 1024;
const promisedIdBytes = 4;
const firstChunkBytes = 1024;
const chunkBytes = 16 * 1024;
/** Frames of one turn of the event loop are joined into one write, up to this size in bytes. */
const maxWaitingBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/**
 * Combines the frames of one connection into few writes: all frames of one turn of the event loop are sent together.
 */
export class FrameWriter {
  readonly #socket: Duplex;
  readonly #flushed: () => void;
  /** Consecutive small frames. The bytes from `#start` on are not written to the socket yet. */
  #chunk: Buffer = nothing;
  #start = 0;
  #at = 0;
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #due = false;

  /** @param flushed called after each write at the end of a turn */
  constructor(socket: Duplex, flushed: () => void) {
    this.#socket = socket;
    this.#flushed = flushed;
  }

  /** Bytes that the system has not accepted yet. */
  get unsentBytes(): number {
    return this.#waitingBytes + this.#socket.writableLength;
  }

  /** Sends a complete frame. */
  frame(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#at += bytes.copy(this.#chunk, this.#at);
    this.#wrote(bytes.length);
  }

  /** Writes a header block, in as many frames as it needs. @param block may change after the call */
  headers(streamId: number, endsStream: boolean, block: Buffer): void {
    this.#block(frameTypes.headers, endsStream ? frameFlags.endStream : 0, streamId, block);
  }

  /**
   * Writes the header block of a promised request, on the stream that promises it. @param block may change after the
   * call
   */
  pushPromise(streamId: number, promisedId: number, block: Buffer): void {
    const payload = Buffer.allocUnsafe(promisedIdBytes + block.length);
    payload.writeUInt32BE(promisedId, 0);
    payload.set(block, promisedIdBytes);
    this.#block(frameTypes.pushPromise, 0, streamId, payload);
  }

  #block(firstType: number, firstFlags: number, streamId: number, block: Buffer): void {
    let type = firstType;
    let flags = firstFlags;
    let at = 0;
    do {
      const end = Math.min(block.length, at + defaultFrameBytes);
      flags |= end === block.length ? frameFlags.endHeaders : 0;
      this.#small(type, flags, streamId, block.subarray(at, end));
      type = frameTypes.continuation;
      flags = 0;
      at = end;
    } while (at < block.length);
  }

  /** Writes a DATA frame. @param payload at most 16,384 bytes; must not change until it is sent */
  data(streamId: number, endsStream: boolean, payload: Uint8Array): void {
    const flags = endsStream ? frameFlags.endStream : 0;
    if (payload.length <= maxJoinedBytes) {
      this.#small(frameTypes.data, flags, streamId, payload);
      return;
    }
    this.frame(encodeFrameHeader(payload.length, frameTypes.data, flags, streamId));
    this.#endPiece();
    this.#pieces.push(payload);
    this.#wrote(payload.length);
    if (this.#waitingBytes >= maxWaitingBytes) {
      this.flush();
    }
  }

  /** Writes all waiting frames to the socket. */
  flush(): void {
    const socket = this.#socket;
    this.#endPiece();
    const pieces = this.#pieces;
    if (pieces.length === 0) {
      return;
    }
    this.#pieces = [];
    this.#waitingBytes = 0;
    if (socket.destroyed || socket.writableEnded) {
      return;
    }
    if (pieces.length > 1) {
      socket.cork();
    }
    for (const piece of pieces) {
      socket.write(piece);
    }
    if (pieces.length > 1) {
      socket.uncork();
    }
  }

  #small(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    const bytes = frameHeaderBytes + payload.length;
    if (payload.length > maxJoinedBytes) {
      this.frame(encodeFrame(type, flags, streamId, payload));
      return;
    }
    this.#reserve(bytes);
    const chunk = this.#chunk;
    const at = this.#at;
    chunk[at] = 0;
    chunk[at + 1] = payload.length >> 8;
    chunk[at + 2] = payload.length & 0xff;
    chunk[at + 3] = type;
    chunk[at + 4] = flags;
    chunk.writeUInt32BE(streamId, at + 5);
    chunk.set(payload, at + frameHeaderBytes);
    this.#at = at + bytes;
    this.#wrote(bytes);
  }

  #wrote(bytes: number): void {
    this.#waitingBytes += bytes;
    if (!this.#due) {
      this.#due = true;
      setImmediate(flushDue, this);
    }
  }

  /** Called at the end of a turn. */
  turnEnded(): void {
    this.#due = false;
    this.flush();
    this.#flushed();
  }

  #reserve(bytes: number): void {
    if (this.#chunk.length - this.#at < bytes) {
      const isFirst = this.#waitingBytes === 0;
      this.#endPiece();
      this.#chunk = Buffer.allocUnsafe(Math.max(bytes, isFirst ? firstChunkBytes : chunkBytes));
      this.#start = 0;
      this.#at = 0;
    }
  }

  #endPiece(): void {
    if (this.#at > this.#start) {
      this.#pieces.push(this.#chunk.subarray(this.#start, this.#at));
      this.#start = this.#at;
    }
  }
}

function flushDue(writer: FrameWriter): void {
  writer.turnEnded();
}
