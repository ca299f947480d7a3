import type { Socket } from "node:net";
import { SharedMemory } from "./shared-memory.ts";

/** While little comes: heads, small bodies. Each connection keeps as much. */
const smallBytes = 16 * 1024;
/** Once reads fill the buffer: large bodies. The fewer reads and writes, the less the system takes for each byte. */
const largeMemory = new SharedMemory(512 * 1024, 32);
/** The same when all of that is lent. */
const mediumBytes = 64 * 1024;

/**
 * A reused buffer for a socket's reads, instead of a new one for each. Data that the taker keeps stays valid,
 * and the next read uses another place.
 * | Memory | Used | Goes back |
 * |---|---|---|
 * | small, 16 KiB | from the first read | never: it is the connection's own |
 * | large, 512 KiB | after a read that filled the small one | with the end of the response |
 * | medium, 64 KiB | instead of large while all 32 are lent | with the end of the response |
 *
 * A buffer whose bytes the taker keeps is not used again: the next read gets new memory.
 */
export class ReadBuffer {
  /** Handles received bytes. @returns true when the receiver still needs the buffer */
  take: ((bytes: Buffer) => boolean) | undefined;
  /** Bytes of the small memory. */
  readonly #smallBytes: number;
  /** Lends large memory; undefined where the config fixes the size of reads. */
  readonly #large: SharedMemory | undefined;
  /** Memory of the next read. */
  #buffer: Buffer;
  /** Whether that memory is lent by `#large`. */
  #isBorrowed = false;
  /** The small memory, while another is in use. */
  #small: Buffer | undefined;
  /** Set while the last read of a response is handled. */
  #rests = false;

  /**
   * @param byteLength of each read at most; 0: as much as comes asks for
   * @param large where large bodies borrow
   */
  constructor(byteLength = 0, large = largeMemory) {
    this.#smallBytes = byteLength || smallBytes;
    this.#large = byteLength === 0 ? large : undefined;
    this.#buffer = Buffer.allocUnsafeSlow(this.#smallBytes);
  }

  /** For the option `onread` of `net.connect`. */
  readonly options = {
    // Called before the first read and after each.
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

  /** A response is over, within `take`: gives large memory back. */
  rest(): void {
    this.#rests = true;
  }

  /** The socket is closed, but its last data may still be in use. */
  close(): void {
    if (this.#isBorrowed) {
      this.#isBorrowed = false;
      this.#large?.lose();
    }
  }

  /** The taker now owns the buffer. */
  #replace(): void {
    if (this.#small === undefined) {
      this.#buffer = Buffer.allocUnsafeSlow(this.#smallBytes);
      return;
    }
    this.close();
    this.#enlarge();
  }

  /** A read filled the small memory: more is coming, so the next read is a large one. */
  #grow(kept: boolean, large: SharedMemory): void {
    this.#small = kept ? Buffer.allocUnsafeSlow(this.#smallBytes) : this.#buffer;
    this.#enlarge(large);
  }

  /** Borrows large memory, or takes medium memory where none is left. */
  #enlarge(large = this.#large): void {
    const borrowed = large?.borrow();
    this.#isBorrowed = borrowed !== undefined;
    this.#buffer = borrowed ?? Buffer.allocUnsafeSlow(mediumBytes);
  }

  /** The response is over: back to the small memory. */
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

/** Buffers of sockets. They go with their sockets. */
const buffers = new WeakMap<Socket, ReadBuffer>();

/** The buffer of a socket that was opened with one. */
export function readBufferOf(socket: Socket): ReadBuffer | undefined {
  return buffers.get(socket);
}

/** Says which buffer a socket was opened with. */
export function setReadBuffer(socket: Socket, buffer: ReadBuffer): void {
  buffers.set(socket, buffer);
}
