import { errorCodes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

/** Maximum number of fragments of a header block: empty fragments cost time, but no limit of bytes stops them. */
const maxFragments = 16;

/** A header block that continues in CONTINUATION frames. Source: RFC 9113, section 6.10 */
export class HeaderFragments {
  readonly streamId: number;
  /** Flags of the HEADERS frame. */
  readonly flags: number;
  readonly #maxBytes: number;
  readonly #fragments: Buffer[];
  #bytes: number;

  /**
   * @param first payload of the HEADERS frame, without padding and priority
   * @param maxBytes limit of the whole block
   */
  constructor(streamId: number, flags: number, first: Buffer, maxBytes: number) {
    this.streamId = streamId;
    this.flags = flags;
    this.#maxBytes = maxBytes;
    this.#fragments = [Buffer.from(first)];
    this.#bytes = first.length;
  }

  /** @throws Http2Error ENHANCE_YOUR_CALM for more than 16 fragments, or more than `maxBytes` */
  add(fragment: Buffer): void {
    this.#bytes += fragment.length;
    if (this.#bytes > this.#maxBytes || this.#fragments.length >= maxFragments) {
      const limit = `${this.#maxBytes} bytes or ${maxFragments} frames`;
      throw new Http2Error(errorCodes.enhanceYourCalm, `a header block is over the limit of ${limit}`);
    }
    this.#fragments.push(Buffer.from(fragment));
  }

  /** The whole block in one buffer. */
  join(): Buffer {
    return Buffer.concat(this.#fragments);
  }
}
