import { errorCodes } from "./frames.ts";
import type { HeaderField } from "./header-field.ts";
import type { HpackDecoder } from "./hpack-decoder.ts";
import { HpackError } from "./hpack-error.ts";
import { Http2Error } from "./http2-error.ts";

/**
 * Decodes the next header block of a connection.
 * @returns undefined when the fields exceed the decoder's limit, which is an error of this stream only
 * @throws Http2Error COMPRESSION_ERROR
 */
export function decodeHeaderBlock(decoder: HpackDecoder, block: Uint8Array): HeaderField[] | undefined {
  try {
    return decoder.decode(block);
  } catch (error) {
    if (!(error instanceof HpackError)) {
      throw error;
    }
    if (error.code === "HPACK_TOO_LARGE") {
      return undefined;
    }
    throw new Http2Error(errorCodes.compressionError, error.message, { cause: error });
  }
}
