import type { SpanEvent } from "../model/span.ts";
import { readEventText } from "./read-event-text.ts";
import {
  noDetails,
  openDetails,
  parentAsDetails,
  type SpanPrefix,
  type StoredRowReader,
} from "./read-stored-rows.ts";
import type { SpanOrigin } from "./span-row-reader.ts";

/**
 * The fields of a stored row as positions in its bytes, for readers that need no span objects. The fields are not
 * checked here; `readStoredSpan` checks them.
 */
export class SpanFields {
  #reader: StoredRowReader;
  #prefix: SpanPrefix;
  /** True when the span has links; a link may name the span's parent. */
  hasLinks = false;
  /** Position of the span id, 8 bytes. The parent's id follows; for a root it consists of zeros. */
  spanIdAt = 0;
  hasTraceState = false;
  flags = 0;
  nameStart = 0;
  nameEnd = 0;
  /** Number of the span's kind, as in `spanKinds`. */
  kind = 0;
  /** Position of the start, 8 bytes little-endian. The duration follows. */
  startAt = 0;
  /** Number of the span's status, as in `statusCodes`. */
  status = 0;
  messageStart = 0;
  messageEnd = 0;
  /** Start of the list of attributes, which may be empty. */
  attributesStart = 0;
  attributesEnd = 0;

  constructor(reader: StoredRowReader, prefix: SpanPrefix) {
    this.#reader = reader;
    this.#prefix = prefix;
  }

  /** @param reader its position is the start of the row, after the prefix */
  open(reader: StoredRowReader, prefix: SpanPrefix, hasLinks: boolean): void {
    this.#reader = reader;
    this.#prefix = prefix;
    this.hasLinks = hasLinks;
    reader.skip(16); // trace_id
    this.spanIdAt = reader.position;
    reader.skip(16); // span_id, parent_span_id
    this.hasTraceState = reader.skipString() < reader.position;
    this.flags = reader.uint32();
    this.nameStart = reader.skipString();
    this.nameEnd = reader.position;
    this.kind = reader.uint8();
    this.startAt = reader.position;
    reader.skip(16); // start, duration
    this.status = reader.uint8();
    this.messageStart = reader.skipString();
    this.messageEnd = reader.position;
    this.attributesStart = reader.skipString();
    this.attributesEnd = reader.position;
  }

  get bytes(): Buffer {
    return this.#reader.bytes;
  }

  /** The same memory as `bytes`. */
  get view(): DataView {
    return this.#reader.view;
  }

  get origin(): SpanOrigin {
    return this.#prefix.plain;
  }

  get hasEvents(): boolean {
    return this.bytes[this.attributesEnd] !== 0;
  }

  /** @throws WireError as `readStoredRows` does */
  events(): SpanEvent[] {
    this.#reader.position = this.attributesEnd;
    return readEventText(this.#reader);
  }

  /** Tells which rare fields the row has: none, only the link to the parent, or others. */
  details(): "none" | "parent" | "more" {
    const reader = this.#reader;
    reader.position = this.attributesEnd;
    reader.skipString(); // event_text
    switch (openDetails(reader, this.#prefix)) {
      case noDetails:
        return "none";
      case parentAsDetails:
        return "parent";
      default:
        return "more";
    }
  }
}
