import { status } from "@grpc/grpc-js";
import { decompress, isKnownEncoding } from "../compression/decompress.ts";
import { WireError } from "../errors.ts";

/** Encodings that grpc-js supports without this file. */
const ownEncodings: ReadonlySet<string> = new Set(["identity", "gzip", "deflate"]);
/** Size limit of a decompressed message in bytes, on a server without a limit of its own. */
const largestMessage = 0x7fff_ffff;
/** Bytes before a message: one flag and the length. */
const prefixBytes = 5;

/** The part of grpc-js calls that decompresses messages. Interceptors see a message only after it was decompressed. */
interface DecompressingCall {
  readonly incomingEncoding?: string;
  readonly maxReceiveMessageSize?: number;
  decompressMessage?: (message: Buffer, encoding: string) => Buffer | Promise<Buffer>;
}

/**
 * Makes a call accept messages in all encodings that the HTTP receivers accept. Without this, grpc-js supports only
 * gzip and deflate, and permanently refuses senders that use zstd or snappy. For calls in the encodings of grpc-js
 * itself, this costs only one comparison.
 * @param call the call that a server interceptor gets
 */
export function acceptMoreEncodings(call: object): void {
  const decompressing = call as DecompressingCall;
  const { incomingEncoding = "identity", maxReceiveMessageSize = -1 } = decompressing;
  if (ownEncodings.has(incomingEncoding) || !isKnownEncoding(incomingEncoding)) {
    return;
  }
  const maxBytes = maxReceiveMessageSize < 0 ? largestMessage : maxReceiveMessageSize;
  decompressing.decompressMessage = async (message, encoding) => {
    const body = message.subarray(prefixBytes);
    if (encoding === "identity") {
      return body;
    }
    try {
      return decompress(body, encoding, maxBytes);
    } catch (error) {
      throw failureOf(error, encoding, maxBytes);
    }
  };
}

/** An error with the text that grpc-js uses for its own encodings. */
function failureOf(error: unknown, encoding: string, maxBytes: number): object {
  if (error instanceof WireError && error.code === "WIRE_TOO_LARGE") {
    return {
      code: status.RESOURCE_EXHAUSTED,
      details: `Received message that decompresses to a size larger than ${maxBytes}`,
    };
  }
  return { code: status.INTERNAL, details: `Failed to decompress message: it is not ${encoding}` };
}
