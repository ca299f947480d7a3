import type { Socket } from "node:net";
import { SharedMemory } from "./shared-memory.ts";

/** Buffer size for small reads: heads and small bodies. Each connection owns one such buffer. */
const smallBytes = 16 * 1024;
/** Buffers for large bodies, used once reads fill the small buffer. Fewer reads and writes cost less per byte. */
const largeMemory = new SharedMemory(512 * 1024, 32);
/** Buffer size when all large buffers are lent. */
const mediumBytes = 64 * 1024;

/**
 * A reused buffer for a socket's reads, instead of a new one for each read. Data that the receiver keeps stays valid,
 * because the next read then uses different memory.
 * | Memory | Used | Returned |
 * |---|---|---|
 * | small, 16 KiB | from the first read | never: the connection owns it |
 * | large, 512 KiB | after a read that filled the small buffer | at the end of the response |
 * | medium, 64 KiB | in place of a large buffer, while all 32 large buffers are lent | at the end of the response |
 *
 */
export class ReadBuffer {
  /** Handles received bytes. @returns true when the receiver still needs the buffer */
  take: ((bytes: Buffer) => boolean) | undefined;
  /** Bytes of the small buffer, which every connection starts with. */
  readonly #smallBytes: number;
  /** Lends large buffers; undefined when the config fixes the read size. */
  readonly #large: SharedMemory | undefined;
  /** Memory of the next read. */
  #buffer: Buffer;
  /** True when the buffer is lent by `#large`. */
  #isBorrowed = false;
  /** The small buffer, while a larger buffer is in use. */
  #small: Buffer | undefined;
  /** True while the last read of a response is handled. */
  #rests = false;

  /**
   * @param byteLength fixed size of reads; 0 adapts the size to the data
   * @param large lends buffers for large bodies
   */
  constructor(byteLength = 0, large = largeMemory) {
    this.#smallBytes = byteLength || smallBytes;
    this.#large = byteLength === 0 ? large : undefined;
    this.#buffer = Buffer.allocUnsafeSlow(this.#smallBytes);
  }

  /** For the option `onread` of `net.connect`. */
  readonly options = {
    // Called before the first read and after each read.
    buffer: (): Buffer => this.#buffer,
    callback: (byteLength: number, bytes: Uint8Array): boolean => {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, byteLength);
      const kept = this.take?.(chunk) ?? true;
      if (this.#rests) {
        this.#rests = false;
        this.#shrink(kept);
      } else if (this.#small === undefined && byteLength === bytes.byteLength && this.#large !== undefined) {
        this.#grow(kept, this.#large);
      } else if (kept) {
        this.#replace();
      }
      return true;
    },
  };

  /** Called within `take` when a response is over: returns the large buffer. */
  rest(): void {
    this.#rests = true;
  }

  /** Called when the socket is closed. The socket's last data may still be in use. */
  close(): void {
    if (this.#isBorrowed) {
      this.#isBorrowed = false;
      this.#large?.lose();
    }
  }

  /** Allocates a new buffer, because the receiver keeps the old one. */
  #replace(): void {
    if (this.#small === undefined) {
      this.#buffer = Buffer.allocUnsafeSlow(this.#smallBytes);
      return;
    }
    this.close();
    this.#enlarge();
  }

  /** Called when a read filled the small buffer: the next read uses a large buffer. */
  #grow(kept: boolean, large: SharedMemory): void {
    this.#small = kept ? Buffer.allocUnsafeSlow(this.#smallBytes) : this.#buffer;
    this.#enlarge(large);
  }

  /** Borrows a large buffer, or allocates a medium buffer when all large buffers are lent. */
  #enlarge(large = this.#large): void {
    const borrowed = large?.borrow();
    this.#isBorrowed = borrowed !== undefined;
    this.#buffer = borrowed ?? Buffer.allocUnsafeSlow(mediumBytes);
  }

  /** Returns to the small buffer at the end of the response. */
  #shrink(kept: boolean): void {
    if (this.#small === undefined) {
      if (kept) {
        this.#replace();
      }
      return;
    }
    if (this.#isBorrowed && !kept) {
      this.#isBorrowed = false;
      this.#large?.giveBack(this.#buffer);
    }
    this.close();
    this.#buffer = this.#small;
    this.#small = undefined;
  }
}

const buffers = new WeakMap<Socket, ReadBuffer>();

/** The read buffer of a socket; undefined for a socket that was opened without one. */
export function readBufferOf(socket: Socket): ReadBuffer | undefined {
  return buffers.get(socket);
}

/** Records the buffer that a socket was opened with. */
export function setReadBuffer(socket: Socket, buffer: ReadBuffer): void {
  buffers.set(socket, buffer);
}
