import { status } from "@grpc/grpc-js";
import { decompress, isKnownEncoding } from "../compression/decompress.ts";
import { WireError } from "../errors.ts";

/** Those that grpc-js undoes itself. */
const ownEncodings: ReadonlySet<string> = new Set(["identity", "gzip", "deflate"]);
/** Where the server has no limit: what its length in front of it can say. */
const largestMessage = 0x7fff_ffff;
/** Of the flag and the length in front of a message. */
const prefixBytes = 5;

/** The part of grpc-js' calls that undoes compression: no interceptor sees a message before it. */
interface DecompressingCall {
  readonly incomingEncoding?: string;
  readonly maxReceiveMessageSize?: number;
  decompressMessage?: (message: Buffer, encoding: string) => Buffer | Promise<Buffer>;
}

/**
 * Lets a call's messages come in all encodings that the other doors take: grpc-js knows gzip and deflate alone, and refuses
 * senders that are set to zstd or snappy for good. Costs other calls one look.
 * @param call as an interceptor of a server gets it
 */
export function acceptMoreEncodings(call: object): void {
  const decompressing = call as DecompressingCall;
  const { incomingEncoding = "identity", maxReceiveMessageSize = -1 } = decompressing;
  if (ownEncodings.has(incomingEncoding) || !isKnownEncoding(incomingEncoding)) return;
  const maxBytes = maxReceiveMessageSize < 0 ? largestMessage : maxReceiveMessageSize;
  decompressing.decompressMessage = async (message, encoding) => {
    const body = message.subarray(prefixBytes);
    if (encoding === "identity") return body;
    try {
      return decompress(body, encoding, maxBytes);
    } catch (error) {
      throw failureOf(error, encoding, maxBytes);
    }
  };
}

/** As grpc-js says it of its own encodings. */
function failureOf(error: unknown, encoding: string, maxBytes: number): object {
  if (error instanceof WireError && error.code === "WIRE_TOO_LARGE") {
    return {
      code: status.RESOURCE_EXHAUSTED,
      details: `Received message that decompresses to a size larger than ${maxBytes}`,
    };
  }
  return { code: status.INTERNAL, details: `Failed to decompress message: it is not ${encoding}` };
}
