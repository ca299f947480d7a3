import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { WireError } from "../errors.ts";
import { decompressLz4 } from "./decompress-lz4.ts";
import { decompressSnappy } from "./decompress-snappy.ts";

type Decoder = (bytes: Uint8Array, maxBytes: number) => Buffer;

const gunzip: Decoder = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength });
const inflate: Decoder = (bytes, maxOutputLength) => inflateSync(bytes, { maxOutputLength });

/**
 * Encodings that every HTTP and gRPC receiver accepts, which are all encodings of the OpenTelemetry Collector's
 * exporters. A message is decompressed in one step on the receiving thread. The size limit also limits the time, and
 * for usual messages another thread would cost more than it saves.
 */
const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  zlib: inflate,
  zstd: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
  snappy: decompressSnappy,
  "x-snappy-framed": decompressSnappy,
  lz4: decompressLz4,
};

/** Names that mean an uncompressed message. */
const plainNames: ReadonlySet<string> = new Set(["", "identity", "none"]);

/** Value of `Accept-Encoding` and `grpc-accept-encoding`. */
export const acceptedEncodings: string = ["identity", ...Object.keys(decoders)].join(", ");

/** True when the encoding means no compression. @param encoding lower case */
export function isPlainEncoding(encoding: string): boolean {
  return plainNames.has(encoding);
}

/** True when messages may have this encoding. @param encoding name in lower case */
export function isKnownEncoding(encoding: string): boolean {
  return plainNames.has(encoding) || Object.hasOwn(decoders, encoding);
}

/**
 * Decompresses a message.
 * @param encoding a known encoding in lower case; for an encoding without compression, the message is returned
 * unchanged
 * @param maxBytes size limit of the result in bytes
 * @throws WireError WIRE_TOO_LARGE above `maxBytes`; WIRE_MALFORMED or WIRE_TRUNCATED for bytes that are not in this
 * encoding
 */
export function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decode === undefined) {
    return bytes;
  }
  try {
    return decode(bytes, maxBytes);
  } catch (cause) {
    if (cause instanceof WireError) {
      throw cause;
    }
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) {
      throw new WireError("WIRE_TOO_LARGE", `message is over the limit of ${maxBytes} bytes`, { cause });
    }
    throw new WireError("WIRE_MALFORMED", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
