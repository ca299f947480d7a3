import { WireError } from "../errors.ts";
import { crc32c } from "./crc32c.ts";
import { readSnappyElements, readSnappyLength } from "./snappy-block.ts";

/** The first chunk of a stream: type 255, length 6, and a fixed text. */
const streamIdentifier = Buffer.from("\xff\x06\x00\x00sNaPpY", "latin1");
/** Size limit of a decompressed chunk in bytes. */
const maxChunkBytes = 65_536;
const checksumBytes = 4;

/**
 * Decompresses snappy data. In `Content-Encoding: snappy`, Jaeger sends a stream in the framing format, and
 * newer senders send a block without framing. Only a stream can start with the stream identifier.
 * @param maxBytes size limit of the result in bytes; checked before memory is allocated
 * @returns a new buffer; empty for a stream without chunks
 * @throws WireError WIRE_TOO_LARGE above `maxBytes`; WIRE_TRUNCATED; WIRE_MALFORMED, for example for a wrong checksum
 *   Source: google/snappy framing_format.txt and format_description.txt.
 */
export function decompressSnappy(bytes: Uint8Array, maxBytes: number): Buffer {
  if (bytes.length === 0) {
    return Buffer.alloc(0);
  }
  if (streamIdentifier.equals(bytes.subarray(0, streamIdentifier.length))) {
    return decompressStream(bytes, maxBytes);
  }
  const { length, elements } = readSnappyLength(bytes, 0, bytes.length);
  checkLength(length, maxBytes);
  const output = Buffer.allocUnsafe(length);
  readSnappyElements({ bytes, start: elements, end: bytes.length }, { bytes: output, start: 0, end: length });
  return output;
}

/** Reads the chunks twice: first their lengths, which `maxBytes` limits, then their bytes. */
function decompressStream(bytes: Uint8Array, maxBytes: number): Buffer {
  let length = 0;
  eachChunk(bytes, (chunk) => {
    length += chunk.length;
    checkLength(length, maxBytes);
  });
  const output = Buffer.allocUnsafe(length);
  let to = 0;
  eachChunk(bytes, (chunk) => {
    const next = to + chunk.length;
    if (chunk.isCompressed) {
      const { start, end } = chunk;
      readSnappyElements({ bytes, start, end }, { bytes: output, start: to, end: next });
    } else {
      output.set(bytes.subarray(chunk.start, chunk.end), to);
    }
    if (maskedSum(output, to, next) !== chunk.checksum) {
      throw new WireError("WIRE_MALFORMED", `snappy chunk before byte ${chunk.end} has a wrong checksum`);
    }
    to = next;
  });
  return output;
}

/** A chunk with data. */
interface Chunk {
  /** Start of the data, after checksum and length. */
  readonly start: number;
  readonly end: number;
  readonly isCompressed: boolean;
  /** Number of the chunk's bytes after decompression. */
  readonly length: number;
  readonly checksum: number;
}

/**
 * Calls `take` for each chunk with data. A chunk consists of a type, a length in three bytes, and its content:
 *
 * | Type | Chunk |
 * |---|---|
 * | 0 | compressed data, after a checksum |
 * | 1 | plain data, after a checksum |
 * | 2 to 127 | unknown, refused |
 * | 128 to 254 | unknown, passed over |
 * | 255 | identifier of a stream |
 */
function eachChunk(bytes: Uint8Array, take: (chunk: Chunk) => void): void {
  let at = 0;
  while (at < bytes.length) {
    const header = at;
    if (header + 4 > bytes.length) {
      throw truncated(bytes);
    }
    const kind = bytes[header] as number;
    const start = header + 4;
    const end =
      start +
      ((bytes[header + 1] as number) |
        ((bytes[header + 2] as number) << 8) |
        ((bytes[header + 3] as number) << 16));
    if (end > bytes.length) {
      throw truncated(bytes);
    }
    at = end;
    if (kind <= 1) {
      take(dataChunk(bytes, kind === 0, start, end));
    } else if (kind === 0xff) {
      // Streams may be concatenated.
      if (!streamIdentifier.equals(bytes.subarray(header, end))) {
        throw new WireError("WIRE_MALFORMED", `snappy stream has a wrong identifier at byte ${header}`);
      }
    } else if (kind < 0x80) {
      throw new WireError("WIRE_MALFORMED", `snappy chunk at byte ${header} is of the unknown type ${kind}`);
    }
  }
}

function dataChunk(bytes: Uint8Array, isCompressed: boolean, start: number, end: number): Chunk {
  const data = start + checksumBytes;
  if (data > end) {
    throw new WireError("WIRE_MALFORMED", `snappy chunk at byte ${start} has no checksum`);
  }
  const checksum = new DataView(bytes.buffer, bytes.byteOffset + start).getUint32(0, true);
  const block = isCompressed ? readSnappyLength(bytes, data, end) : { length: end - data, elements: data };
  if (block.length > maxChunkBytes) {
    throw new WireError(
      "WIRE_MALFORMED",
      `snappy chunk at byte ${start} stands for ${block.length} bytes, more than ${maxChunkBytes}`,
    );
  }
  return { start: block.elements, end, isCompressed, length: block.length, checksum };
}

/**
 * Checksum in the form of the framing format. Its bits are rotated, so that checksums inside the data do not weaken it.
 */
function maskedSum(bytes: Uint8Array, start: number, end: number): number {
  const sum = crc32c(bytes, start, end);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}

function checkLength(length: number, maxBytes: number): void {
  if (length > maxBytes) {
    throw new WireError(
      "WIRE_TOO_LARGE",
      `snappy data stands for ${length} bytes, over the limit of ${maxBytes}`,
    );
  }
}

function truncated(bytes: Uint8Array): WireError {
  return new WireError("WIRE_TRUNCATED", `snappy stream ends at byte ${bytes.length}, inside a chunk`);
}
