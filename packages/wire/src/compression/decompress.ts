import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { WireError } from "../errors.ts";
import { decompressLz4 } from "./decompress-lz4.ts";
import { decompressSnappy } from "./decompress-snappy.ts";

type Decoder = (bytes: Uint8Array, maxBytes: number) => Buffer;

const gunzip: Decoder = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength });
const inflate: Decoder = (bytes, maxOutputLength) => inflateSync(bytes, { maxOutputLength });

/**
 * What messages may be compressed with, at every door, over HTTP as over gRPC: all that the OpenTelemetry Collector's
 * exporters offer. Each is undone in one piece on this thread: bounded by the limit, and cheaper for messages of usual size
 * than a thread's queue.
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

/** The names that a message may be plain under. */
const plainNames: ReadonlySet<string> = new Set(["", "identity", "none"]);

/** For `Accept-Encoding` and `grpc-accept-encoding`. */
export const acceptedEncodings: string = ["identity", ...Object.keys(decoders)].join(", ");

/** Whether a message is as it was before compression. @param encoding lower case */
export function isPlainEncoding(encoding: string): boolean {
  return plainNames.has(encoding);
}

/** Whether messages may come in this encoding. @param encoding lower case */
export function isKnownEncoding(encoding: string): boolean {
  return plainNames.has(encoding) || Object.hasOwn(decoders, encoding);
}

/**
 * Undoes the compression of a message.
 * @param encoding a known one, in lower case; a plain one leaves the message as it is
 * @param maxBytes most bytes that may come out
 * @throws WireError WIRE_TOO_LARGE past `maxBytes`; WIRE_MALFORMED or WIRE_TRUNCATED for bytes that are something else
 */
export function decompress(bytes: Buffer, encoding: string, maxBytes: number): Buffer {
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decode === undefined) return bytes;
  try {
    return decode(bytes, maxBytes);
  } catch (cause) {
    if (cause instanceof WireError) throw cause;
    const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) {
      throw new WireError("WIRE_TOO_LARGE", `message is over the limit of ${maxBytes} bytes`, { cause });
    }
    throw new WireError("WIRE_MALFORMED", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
