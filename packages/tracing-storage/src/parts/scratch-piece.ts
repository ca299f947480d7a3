/** Size limit of the shared buffer in bytes; longer pieces get a separate buffer. */
const sharedBytes = 1024 * 1024;

/** A buffer that successive pieces of files share. Decompressed data is stored elsewhere. */
let shared: Buffer | undefined;
let owner: ScratchPiece | undefined;

/**
 * A piece of a file in the shared buffer. The next piece overwrites it; if this piece is still needed then, it is read
 * again.
 */
export class ScratchPiece {
  readonly #read: (target: Buffer) => number;
  readonly #length: number;
  #bytes: Buffer | undefined;

  /** @param read fills the buffer and returns the number of bytes */
  constructor(read: (target: Buffer) => number, length: number) {
    this.#read = read;
    this.#length = length;
  }

  /** Bytes of the piece, which are valid only until another piece is read. */
  get bytes(): Buffer {
    const isShared = this.#length <= sharedBytes;
    if (this.#bytes !== undefined && (!isShared || owner === this)) {
      return this.#bytes;
    }
    const target = isShared ? sharedPiece(this.#length) : Buffer.allocUnsafeSlow(this.#length);
    owner = undefined;
    this.#bytes = target.subarray(0, this.#read(target));
    if (isShared) {
      owner = this;
    }
    return this.#bytes;
  }
}

function sharedPiece(length: number): Buffer {
  shared ??= Buffer.allocUnsafeSlow(sharedBytes);
  return shared.subarray(0, length);
}
