import type { ByteWriter } from "../rows/byte-writer.ts";
import type { AttributeTranscoder } from "./attribute-transcoder.ts";
import { PartTranscoder } from "./part-transcoder.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";

/** Fields of `Event`: `time_unix_nano`, `name`, `attributes`, `dropped_attributes_count`. */
const eventFields = fieldMask(1, 2, 3, 4);

/**
 * Converts OTLP `Event` messages to the column `events`. An element has the time (8 bytes), the name, the attributes as
 * tuples and the number of dropped attributes (4 bytes). A missing time is 0.
 */
export class EventTranscoder extends PartTranscoder {
  #timeLow = 0;
  #timeHigh = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter, attributes: AttributeTranscoder) {
    super(cursor, out, attributes, { text: 18, attributes: 26, droppedAttributes: 32 });
  }

  protected override clear(): void {
    this.#timeLow = 0;
    this.#timeHigh = 0;
  }

  /** Reads the time, tag 9 (`fixed64`). `PartTranscoder` reads the fields that events share with links. */
  protected override field(tag: number, end: number): void {
    const { cursor } = this;
    if (tag !== 9) {
      cursor.skip(tag, end, eventFields);
      return;
    }
    cursor.fixed64(end);
    this.#timeLow = cursor.low;
    this.#timeHigh = cursor.high;
  }

  protected override write(): void {
    this.out.uint32(this.#timeLow);
    this.out.uint32(this.#timeHigh);
    this.writeShared();
  }
}
