import { UnreadablePart } from "./unreadable-part.ts";

/**
 * Sizes of integers, by the first byte, which is the number of their type without the highest bit. Types that are
 * missing are not supported.
 */
const widths: ReadonlyMap<number, number> = new Map([
  ...([3, 8, 14] as const).map((type) => [type, 4] as const),
  ...([4, 9, 15] as const).map((type) => [type, 8] as const),
]);
const signed: ReadonlySet<number> = new Set([8, 9, 15]);
const rowsOfMatrix = 64;
const headerBytes = 17;

/**
 * Integers without their upper bits, because these bits are the same in all of them. For each 64 integers, the block
 * has all lowest bytes, then all next bytes, and then the remaining bits one by one. Only requested integers are
 * assembled. Source: ClickHouse src/Compression/CompressionCodecT64.cpp
 */
export class T64Values {
  readonly length: number;
  readonly #packed: Buffer;
  readonly #width: number;
  /** Number of stored bits of each integer; the next field is the size in bytes of 64 stored integers. */
  readonly #bits: number;
  readonly #matrixBytes: number;
  /**
   * The upper bytes of all integers, or only of integers with the sign bit; then the next field has the upper bytes of
   * integers without the sign bit.
   */
  readonly #upper: Buffer;
  readonly #upperOfPositive: Buffer;

  /**
   * @param packed from the byte that names the type
   * @param length number of bytes of the unpacked data
   * @throws UnreadablePart for integers of one or two bytes, for the variant for bits, and for damaged bytes
   */
  constructor(packed: Buffer, length: number) {
    const type = packed[0] ?? 0;
    const width = widths.get(type);
    if (width === undefined || length % width !== 0 || length === 0) {
      throw new UnreadablePart(`integers are packed by T64 in the form ${type}`);
    }
    if (packed.length < headerBytes) {
      throw new UnreadablePart("integers packed by T64 are cut short");
    }
    const [least, most] = [packed.readBigInt64LE(1), packed.readBigInt64LE(9)];
    const isSigned = signed.has(type);
    const bits = significantBits(least, most, isSigned);
    const matrices = Math.ceil(length / width / rowsOfMatrix);
    if (bits > width * 8 || packed.length !== headerBytes + matrices * bits * 8) {
      throw new UnreadablePart("integers packed by T64 have not the length that they should have");
    }
    this.length = length;
    this.#packed = packed;
    this.#width = width;
    this.#bits = bits;
    this.#matrixBytes = bits * 8;
    this.#upper = upperBits(least, bits);
    this.#upperOfPositive = isSigned && least < 0n && most >= 0n ? upperBits(most, bits) : this.#upper;
  }

  get heldBytes(): number {
    return this.#packed.length;
  }

  /** A range of the decompressed bytes, which must consist of whole integers. @throws UnreadablePart */
  subarray(from: number, to: number): Buffer {
    const width = this.#width;
    if (from % width !== 0 || to % width !== 0) {
      throw new UnreadablePart("an integer is cut in two");
    }
    const target = Buffer.alloc(to - from);
    for (let at = from; at < to; at += width) {
      this.#write(at / width, target, at - from);
    }
    return target;
  }

  #write(row: number, target: Buffer, at: number): void {
    const packed = this.#packed;
    const column = row % rowsOfMatrix;
    const matrix = headerBytes + Math.floor(row / rowsOfMatrix) * this.#matrixBytes;
    const fullBytes = this.#bits >> 3;
    for (let byte = 0; byte < fullBytes; byte++) {
      target[at + byte] = packed[matrix + byte * rowsOfMatrix + column] as number;
    }
    const line = matrix + fullBytes * rowsOfMatrix + (column >> 3);
    for (let bit = 0; bit < (this.#bits & 7); bit++) {
      const one = ((packed[line + bit * 8] as number) >> (column & 7)) & 1;
      target[at + fullBytes] = (target[at + fullBytes] as number) | (one << bit);
    }
    const last = this.#bits - 1;
    const isNegative = last >= 0 && ((target[at + (last >> 3)] as number) & (1 << (last & 7))) !== 0;
    const upper = isNegative ? this.#upper : this.#upperOfPositive;
    for (let byte = fullBytes; byte < this.#width; byte++) {
      target[at + byte] = (target[at + byte] as number) | (upper[byte] as number);
    }
  }
}

/** Number of lower bits that differ between the integers. */
function significantBits(least: bigint, most: bigint, isSigned: boolean): number {
  if (isSigned && least < 0n && most >= 0n) {
    return lengthOf(least + most >= 0n ? most : ~least) + 1;
  }
  return lengthOf(BigInt.asUintN(64, least ^ most));
}

function lengthOf(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** The bytes of a value without its lower bits. */
function upperBits(value: bigint, bits: number): Buffer {
  const bytes = Buffer.alloc(8);
  const above = (BigInt.asUintN(64, value) >> BigInt(bits)) << BigInt(bits);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, above));
  return bytes;
}
