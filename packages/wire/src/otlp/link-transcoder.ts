import type { ByteWriter } from "../rows/byte-writer.ts";
import type { AttributeTranscoder } from "./attribute-transcoder.ts";
import { PartTranscoder } from "./part-transcoder.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";

const linkFields = fieldMask(1, 2, 3, 4, 5, 6);

/** Writes OTLP `Link` messages as the column `links`. An empty id becomes zeros: a link is not searched by it. */
export class LinkTranscoder extends PartTranscoder {
  #traceId = -1;
  #spanId = -1;
  #flags = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter, attributes: AttributeTranscoder) {
    super(cursor, out, attributes, { text: 26, attributes: 34, droppedAttributes: 40 });
  }

  protected override clear(): void {
    this.#traceId = -1;
    this.#spanId = -1;
    this.#flags = 0;
  }

  protected override field(tag: number, end: number): void {
    const { cursor } = this;
    if (tag === 10) this.#traceId = cursor.idStart(end, 16, "trace id of a link");
    else if (tag === 18) this.#spanId = cursor.idStart(end, 8, "span id of a link");
    else if (tag === 53) this.#flags = cursor.fixed32(end);
    else cursor.skip(tag, end, linkFields);
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
