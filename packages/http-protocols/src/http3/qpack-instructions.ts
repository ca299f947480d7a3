import { ownCopy } from "../quic/wire/own-copy.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { staticField } from "./qpack-decoder.ts";
import type { DynamicTable } from "./qpack-dynamic-table.ts";
import { type QpackFaults, QpackReader } from "./qpack-reader.ts";
import { staticNames } from "./qpack-static-table.ts";

const malformed = (message: string) => new Http3Error(http3Errors.qpackEncoderStreamError, message);
const incomplete = new Error("an instruction is not whole");
const faults: QpackFaults = { malformed, short: () => incomplete };
const empty = Buffer.alloc(0);

/**
 * Reads the client's instructions for its dynamic table. It buffers at most one incomplete instruction. Source: RFC
 * 9204, section 4.3
 */
export class EncoderStreamReader {
  readonly #table: DynamicTable;
  /** The start of an incomplete instruction. */
  #pending: Buffer = empty;

  constructor(table: DynamicTable) {
    this.#table = table;
  }

  /** @throws Http3Error QPACK_ENCODER_STREAM_ERROR */
  push(bytes: Buffer): void {
    let rest = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    while (rest.length > 0) {
      const reader = new QpackReader(rest, faults);
      try {
        this.#readInstruction(reader);
      } catch (error) {
        if (error === incomplete) {
          break;
        }
        throw error;
      }
      rest = rest.subarray(reader.position);
    }
    this.#pending = rest.length === 0 ? empty : ownCopy(rest);
  }

  /**
   * One instruction, by the first bits of its first byte. Source: RFC 9204, section 4.3
   *
   * | Bits | Instruction |
   * |---|---|
   * | `1T` | insert with the name of an entry; T: the entry is in the static table |
   * | `01H` | insert with a new name; H: the name is Huffman coded |
   * | `001` | set the table's capacity |
   * | `000` | insert a copy of an entry |
   */
  #readInstruction(reader: QpackReader): void {
    const table = this.#table;
    const first = reader.peek;
    if ((first & 0x80) !== 0) {
      const index = reader.integer(6);
      const { name } = (first & 0x40) !== 0 ? staticField(index, malformed) : this.#entry(index);
      this.#insert(name, reader.string(7, table.maxCapacity));
    } else if ((first & 0x40) !== 0) {
      const name = reader.string(5, table.maxCapacity);
      this.#insert(name, reader.string(7, table.maxCapacity));
    } else if ((first & 0x20) !== 0) {
      if (!table.setCapacity(reader.integer(5))) {
        throw malformed("the dynamic table is larger than allowed");
      }
    } else {
      const { name, value } = this.#entry(reader.integer(5));
      this.#insert(name, value);
    }
  }

  #insert(name: string, value: string): void {
    if (!this.#table.insert({ name, value })) {
      throw malformed("an entry is larger than the dynamic table");
    }
  }

  /** @param index 0: the newest entry */
  #entry(index: number) {
    const field = this.#table.field(this.#table.insertCount - 1 - index);
    if (field === undefined) {
      throw malformed(`the dynamic table has no entry ${index}`);
    }
    return field;
  }
}

/** An integer after the bits of an instruction. Source: RFC 7541, section 5.1 */
function instruction(pattern: number, prefixBits: number, value: number): Buffer {
  const mask = 2 ** prefixBits - 1;
  if (value < mask) {
    return Buffer.of(pattern | value);
  }
  const bytes = [pattern | mask];
  let rest = value - mask;
  for (; rest >= 128; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

const text = (pattern: number, prefixBits: number, value: string) =>
  Buffer.concat([instruction(pattern, prefixBits, value.length), Buffer.from(value, "latin1")]);

/** Instructions of this side's encoder for the client, without Huffman coding. Source: RFC 9204, section 4.3 */
export const encoderInstructions = {
  capacity: (bytes: number) => instruction(0x20, 5, bytes),
  insert: (name: string, value: string) => {
    const index = staticNames.get(name);
    const named = index === undefined ? text(0x40, 5, name) : instruction(0xc0, 6, index);
    return Buffer.concat([named, text(0x00, 7, value)]);
  },
};

/** Instructions of a decoder for the encoder. Source: RFC 9204, section 4.4 */
export const decoderInstructions = {
  sectionAcknowledged: (streamId: number) => instruction(0x80, 7, streamId),
  streamCancelled: (streamId: number) => instruction(0x40, 6, streamId),
  insertsReceived: (count: number) => instruction(0x00, 6, count),
};
