import type { ByteWriter } from "../byte-writer.ts";

/** Each block contains its own keys; blocks share no dictionary. */
const sharedDictionariesWithAdditionalKeys = 1;
const hasAdditionalKeys = 1 << 9;

/** Writes the bytes before the keys of a LowCardinality column. */
export function writeDictionaryHead(out: ByteWriter, keys: number): void {
  writeUint64(out, sharedDictionariesWithAdditionalKeys);
  writeUint64(out, hasAdditionalKeys | Math.log2(indexBytes(keys)));
  writeUint64(out, keys);
}

/** Writes the bytes between keys and indexes. */
export function writeIndexHead(out: ByteWriter, rows: number): void {
  writeUint64(out, rows);
}

/** Encodes the indexes of rows into a list of `keys` keys, in the smallest possible type. */
export function packIndexes(indexes: Uint32Array, keys: number): Uint8Array {
  const width = indexBytes(keys);
  const packed = Buffer.allocUnsafeSlow(indexes.length * width);
  for (let row = 0, at = 0; row < indexes.length; row++) {
    const index = indexes[row] as number;
    packed[at++] = index;
    if (width > 1) {
      packed[at++] = index >>> 8;
    }
    if (width > 2) {
      packed[at++] = index >>> 16;
      packed[at++] = index >>> 24;
    }
  }
  return packed;
}

/** Bytes of an index: 1, 2 or 4. */
function indexBytes(keys: number): number {
  if (keys <= 0x100) {
    return 1;
  }
  return keys <= 0x1_0000 ? 2 : 4;
}

/** @param value below 2^32 */
function writeUint64(out: ByteWriter, value: number): void {
  out.uint32(value);
  out.uint32(0);
}
