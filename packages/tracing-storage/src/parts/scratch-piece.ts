/** Longer pieces have memory of their own. */
const sharedBytes = 1024 * 1024;

/** Memory that pieces of files are read into, one after the other: what is unpacked of them is kept elsewhere. */
let shared: Buffer | undefined;
let owner: ScratchPiece | undefined;

/** A piece of a file in memory that the next piece takes from it; then it is read again, if it is still needed. */
export class ScratchPiece {
  readonly #read: (target: Buffer) => number;
  readonly #length: number;
  #bytes: Buffer | undefined;

  /** @param read fills memory of the length, and says how much there was */
  constructor(read: (target: Buffer) => number, length: number) {
    this.#read = read;
    this.#length = length;
  }

  /** Not to be kept. */
  get bytes(): Buffer {
    const isShared = this.#length <= sharedBytes;
    if (this.#bytes !== undefined && (!isShared || owner === this)) return this.#bytes;
    const target = isShared ? sharedPiece(this.#length) : Buffer.allocUnsafeSlow(this.#length);
    owner = undefined;
    this.#bytes = target.subarray(0, this.#read(target));
    if (isShared) owner = this;
    return this.#bytes;
  }
}

function sharedPiece(length: number): Buffer {
  shared ??= Buffer.allocUnsafeSlow(sharedBytes);
  return shared.subarray(0, length);
}
