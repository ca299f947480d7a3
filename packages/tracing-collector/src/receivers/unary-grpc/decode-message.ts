import { status } from "@grpc/grpc-js";
import { decompress, isPlainEncoding } from "wire/compression";
import { WireError } from "wire/errors";
import type { GrpcFailure } from "../grpc-status.ts";

/** Size of the flag and the length before a message, in bytes. */
export const messagePrefixBytes = 5;

/**
 * Decompresses a message.
 * @param body the bytes after the message's prefix
 * @param encoding the call's `grpc-encoding`, one of the known ones
 * @returns the message, or the call's failure when the message is invalid, or too large after decompression
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
    if (!(error instanceof WireError)) {
      throw error;
    }
    if (error.code === "WIRE_TOO_LARGE") {
      return {
        code: status.RESOURCE_EXHAUSTED,
        details: `Received message that decompresses to a size larger than ${maxBytes}`,
      };
    }
    return { code: status.INTERNAL, details: `message is not ${encoding}: ${error.message}` };
  }
}
