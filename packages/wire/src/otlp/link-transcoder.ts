import type { ByteWriter } from "../rows/byte-writer.ts";
import type { SpanMends } from "../rows/span-mends.ts";
import type { AttributeTranscoder } from "./attribute-transcoder.ts";
import { PartTranscoder } from "./part-transcoder.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";

/** Fields of `Link`: trace id, span id, trace state, attributes, dropped attributes, flags. */
const linkFields = fieldMask(1, 2, 3, 4, 5, 6);

/**
 * Converts OTLP `Link` messages to the column `links`. An empty id, or an id of a wrong length, becomes zeros, because
 * searches do not use ids of links. A wrong length adds a warning to the span.
 */
export class LinkTranscoder extends PartTranscoder {
  /** Positions of the ids in the request; -1 for a missing id, and for an id of a wrong length. */
  #traceId = -1;
  #spanId = -1;
  #flags = 0;
  readonly #mends: SpanMends;

  constructor(cursor: ProtoCursor, out: ByteWriter, attributes: AttributeTranscoder, mends: SpanMends) {
    super(cursor, out, attributes, { text: 26, attributes: 34, droppedAttributes: 40 });
    this.#mends = mends;
  }

  protected override clear(): void {
    this.#traceId = -1;
    this.#spanId = -1;
    this.#flags = 0;
  }

  /** Reads `trace_id` (tag 10), `span_id` (18) and `flags` (53, `fixed32`). */
  protected override field(tag: number, end: number): void {
    const { cursor } = this;
    if (tag === 10) {
      this.#traceId = this.#idStart(end, 16, "trace id");
    } else if (tag === 18) {
      this.#spanId = this.#idStart(end, 8, "span id");
    } else if (tag === 53) {
      this.#flags = cursor.fixed32(end);
    } else {
      cursor.skip(tag, end, linkFields);
    }
  }

  /** @returns position of the id, or -1 for a dropped id */
  #idStart(end: number, length: number, what: string): number {
    const { cursor } = this;
    const start = cursor.idStart(end, length);
    if (start === -1 && cursor.idBytes > 0) {
      this.#mends.add(`${what} of a link was dropped: it has ${cursor.idBytes} bytes, not ${length}`);
    }
    return start;
  }

  protected override write(): void {
    const { out, cursor } = this;
    out.id(cursor.view, this.#traceId, 16);
    out.id(cursor.view, this.#spanId, 8);
    this.writeShared();
    out.uint32(this.#flags);
    // An OTLP link has no reference type.
    out.uint8(0);
  }
}
