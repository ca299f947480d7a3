import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { status } from "@grpc/grpc-js";
import type { GrpcFailure } from "./grpc-status.ts";

/** Of the flag and the length in front of a message. */
export const messagePrefixBytes = 5;

type Decoder = (body: Buffer, limits: { readonly maxOutputLength: number }) => Buffer;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
};

/** Whether messages may come in this `grpc-encoding`. */
export function isKnownEncoding(encoding: string): boolean {
  return encoding === "identity" || Object.hasOwn(decoders, encoding);
}

/**
 * Undoes the compression of a message.
 * @param body what follows the message's prefix
 * @param encoding the call's `grpc-encoding`, a known one
 * @returns how the call fails, when it does: too large when decompressed, or broken
 */
export function decompressMessage(body: Buffer, encoding: string, maxBytes: number): Buffer | GrpcFailure {
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decode === undefined) {
    return {
      code: status.INTERNAL,
      details: "a message is marked as compressed, the call names no encoding",
    };
  }
  try {
    return decode(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE") {
      return {
        code: status.RESOURCE_EXHAUSTED,
        details: `Received message that decompresses to a size larger than ${maxBytes}`,
      };
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { code: status.INTERNAL, details: `message is not ${encoding}: ${reason}` };
  }
}
