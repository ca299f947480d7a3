import { decompress, isKnownEncoding, isPlainEncoding } from "wire/compression/decompress";
import { WireError } from "wire/errors";
import { HttpError } from "./http-error.ts";

/**
 * Decodes a `Content-Encoding`.
 * @param encoding value of the header; "" and "identity" mean that the body is not encoded
 * @throws HttpError 415 for an unknown encoding; 400 for an invalid body; 413 when the result exceeds `maxBytes`
 */
export function decodeContent(body: Buffer, encoding: string, maxBytes: number): Buffer {
  const name = encoding.trim().toLowerCase();
  if (isPlainEncoding(name)) {
    return body;
  }
  if (!isKnownEncoding(name)) {
    throw new HttpError(415, `unsupported Content-Encoding: ${encoding}`);
  }
  try {
    return decompress(body, name, maxBytes);
  } catch (cause) {
    if (!(cause instanceof WireError)) {
      throw cause;
    }
    if (cause.code === "WIRE_TOO_LARGE") {
      throw new HttpError(413, `request body is over the limit of ${maxBytes} bytes when decompressed`, {
        cause,
      });
    }
    throw new HttpError(400, `request body is not ${name}: ${cause.message}`, { cause });
  }
}
