import type { Socket } from "node:net";

/** While little comes: heads, small bodies. */
const smallBytes = 16 * 1024;
/** Once reads fill the buffer: large bodies. */
const largeBytes = 128 * 1024;

/**
 * Memory that a socket reads into, again and again, instead of new memory for each read. What the taker still needs
 * after a call stays as it is, and the next read goes elsewhere.
 */
export class ReadBuffer {
  /** Takes what came. @returns whether it still needs the bytes */
  take: ((bytes: Buffer) => boolean) | undefined;
  readonly #smallBytes: number;
  readonly #largeBytes: number;
  #buffer: Buffer;
  #next: Buffer | undefined;
  #rests = false;

  /** @param byteLength of each read at most; 0: as much as comes asks for */
  constructor(byteLength = 0) {
    this.#smallBytes = byteLength || smallBytes;
    this.#largeBytes = byteLength || largeBytes;
    this.#buffer = Buffer.allocUnsafeSlow(this.#smallBytes);
    this.#next = this.#buffer;
  }

  /** For the option `onread` of `net.connect`. */
  readonly options = {
    // Called before the first read and after each; with nothing returned the same memory serves on.
    buffer: (): Buffer => {
      const next = this.#next ?? this.#buffer;
      this.#buffer = next;
      return next;
    },
    callback: (byteLength: number, bytes: Uint8Array): boolean => {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, byteLength);
      const isFull = byteLength === bytes.byteLength;
      const kept = this.take?.(chunk) ?? true;
      const wanted = this.#rests ? this.#smallBytes : isFull ? this.#largeBytes : bytes.byteLength;
      this.#rests = false;
      this.#next = kept || wanted !== bytes.byteLength ? Buffer.allocUnsafeSlow(wanted) : undefined;
      return true;
    },
  };

  /** A response is over, within `take`: gives large memory back. */
  rest(): void {
    this.#rests = true;
  }
}

const buffers = new WeakMap<Socket, ReadBuffer>();

/** The buffer of a socket that was opened with one. */
export function readBufferOf(socket: Socket): ReadBuffer | undefined {
  return buffers.get(socket);
}

/** Says which buffer a socket was opened with. */
export function setReadBuffer(socket: Socket, buffer: ReadBuffer): void {
  buffers.set(socket, buffer);
}
