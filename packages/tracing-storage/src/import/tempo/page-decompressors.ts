import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type Compressors, snappyUncompress } from "hyparquet";
import { decompressLz4Block } from "../../compression/lz4-block.ts";

/**
 * Maximum number of bytes of an unpacked page. Writers make pages of up to about a megabyte; only a page with a single
 * larger value exceeds this.
 */
const maxPageBytes = 64 * 1024 * 1024;

/** Compressions of Parquet. A page that unpacks to another length than it says, or over the limit, is an error. */
export const pageDecompressors: Compressors = {
  SNAPPY: (bytes, length) => {
    const page = new Uint8Array(checked(length));
    snappyUncompress(bytes, page);
    return page;
  },
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: checked(length) + 1 }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: checked(length) + 1 }),
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, { maxOutputLength: checked(length) + 1 }),
  LZ4_RAW: (bytes, length) => {
    const page = Buffer.alloc(checked(length));
    const end = decompressLz4Block(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), page);
    return page.subarray(0, end);
  },
};

/** @throws Error for a length over the limit */
function checked(length: number): number {
  if (!(length >= 0 && length <= maxPageBytes)) {
    throw new Error(`a page unpacks to ${length} bytes; the limit is ${maxPageBytes}`);
  }
  return length;
}
