import { status } from "@grpc/grpc-js";
import { decompress, isPlainEncoding } from "wire/compression";
import { WireError } from "wire/errors";
import type { GrpcFailure } from "./grpc-status.ts";

/** Of the flag and the length in front of a message. */
export const messagePrefixBytes = 5;

/**
 * Undoes the compression of a message.
 * @param body what follows the message's prefix
 * @param encoding the call's `grpc-encoding`, a known one
 * @returns how the call fails, when it does: too large when decompressed, or broken
 */
export function decompressMessage(body: Buffer, encoding: string, maxBytes: number): Buffer | GrpcFailure {
  if (isPlainEncoding(encoding)) {
    return {
      code: status.INTERNAL,
      details: "a message is marked as compressed, the call names no encoding",
    };
  }
  try {
    return decompress(body, encoding, maxBytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    if (error.code === "WIRE_TOO_LARGE") {
      return {
        code: status.RESOURCE_EXHAUSTED,
        details: `Received message that decompresses to a size larger than ${maxBytes}`,
      };
    }
    return { code: status.INTERNAL, details: `message is not ${encoding}: ${error.message}` };
  }
}
