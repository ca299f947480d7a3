/**
 * A header block that cannot be read, or that is too large.
 *
 * - `HPACK_TRUNCATED` the block ends inside a field
 * - `HPACK_MALFORMED` an index, a length or a Huffman code breaks RFC 7541
 * - `HPACK_TOO_LARGE` the fields exceed the decoder's limit; the block was decoded to its end
 */
export type HpackErrorCode = "HPACK_TRUNCATED" | "HPACK_MALFORMED" | "HPACK_TOO_LARGE";

/** The error of the HPACK decoder. The connection converts it into an `Http2Error`, whose code is sent to the peer. */
export class HpackError extends Error {
  override readonly name = "HpackError";
  readonly code: HpackErrorCode;

  constructor(code: HpackErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
