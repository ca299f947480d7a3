/** Longer pieces get their own buffer. */
const sharedBytes = 1024 * 1024;

/** A buffer for pieces of files in turn; unpacked data is kept elsewhere. */
let shared: Buffer | undefined;
let owner: ScratchPiece | undefined;

/** A piece of a file in memory that the next piece takes from it; then it is read again, if it is still needed. */
export class ScratchPiece {
  readonly #read: (target: Buffer) => number;
  readonly #length: number;
  #bytes: Buffer | undefined;

  /** @param read fills the buffer, and returns the number of bytes */
  constructor(read: (target: Buffer) => number, length: number) {
    this.#read = read;
    this.#length = length;
  }

  /** Valid only until the next piece. */
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
