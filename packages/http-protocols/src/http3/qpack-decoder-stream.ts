import { Http3Error, http3Errors } from "./http3-error.ts";
import type { ResponseFieldTable } from "./qpack-response-table.ts";

const malformed = (message: string) => new Http3Error(http3Errors.qpackDecoderStreamError, message);

/**
 * Reads the client's acknowledgments for the table of responses, byte by byte. Source: RFC 9204, section 4.4
 *
 * | Bits | Instruction |
 * |---|---|
 * | `1` | a section of this stream was decoded |
 * | `01` | no more sections of this stream are decoded |
 * | `00` | this many further entries have arrived |
 */
export class DecoderStreamReader {
  readonly #table: ResponseFieldTable;
  /** First byte of an integer that continues; undefined between instructions. */
  #first: number | undefined;
  #value = 0;
  /** Factor of the next seven bits of the integer. */
  #factor = 1;

  constructor(table: ResponseFieldTable) {
    this.#table = table;
  }

  /** @throws Http3Error QPACK_DECODER_STREAM_ERROR */
  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#first === undefined) {
        this.#begin(byte);
      } else {
        this.#continue(this.#first, byte);
      }
    }
  }

  #begin(first: number): void {
    const mask = (first & 0x80) !== 0 ? 0x7f : 0x3f;
    this.#value = first & mask;
    if (this.#value === mask) {
      this.#first = first;
      this.#factor = 1;
    } else {
      this.#apply(first);
    }
  }

  #continue(first: number, byte: number): void {
    this.#value += (byte & 0x7f) * this.#factor;
    this.#factor *= 128;
    if (this.#factor > 2 ** 42) {
      throw malformed("an integer is too long");
    }
    if (byte < 0x80) {
      this.#first = undefined;
      this.#apply(first);
    }
  }

  #apply(first: number): void {
    if ((first & 0x80) !== 0) {
      this.#table.acknowledged(this.#value);
    } else if ((first & 0x40) !== 0) {
      this.#table.cancelled(this.#value);
    } else {
      this.#table.received(this.#value);
    }
  }
}
