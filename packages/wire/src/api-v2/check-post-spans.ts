import { WireError } from "../errors.ts";
import { ProtoCursor } from "../otlp/proto-cursor.ts";

const maxSpans = 100_000;
const maxParts = 500_000;

/** Fields of a message that hold a message or one of many texts, by tag. */
type Parts = ReadonlyMap<number, Parts>;

const tagOf = (field: number) => (field << 3) | 2;
const leaf: Parts = new Map();
const process: Parts = new Map([[tagOf(2), leaf]]);
const log: Parts = new Map([[tagOf(2), leaf]]);
const span: Parts = new Map([
  [tagOf(4), leaf],
  [tagOf(8), leaf],
  [tagOf(9), log],
  [tagOf(10), process],
  [tagOf(12), leaf],
]);
const batch: Parts = new Map([
  [tagOf(1), span],
  [tagOf(2), process],
]);
const postSpansRequest: Parts = new Map([[tagOf(1), batch]]);

/**
 * Looks whether a `PostSpansRequest` can be decoded within reason: an empty span has two bytes and becomes an object of
 * hundreds. Makes no object itself.
 * @throws WireError WIRE_TOO_LARGE over 100,000 spans, or 500,000 spans, processes, tags, logs, references and warnings
 *   together; WIRE_TRUNCATED and WIRE_MALFORMED when the bytes are no protobuf
 */
export function checkPostSpans(request: Uint8Array): void {
  const cursor = new ProtoCursor();
  cursor.open(request);
  let spans = 0;
  let parts = 0;
  const count = (fields: Parts, end: number): void => {
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      const part = fields.get(tag);
      if (part === undefined) {
        cursor.skip(tag, end);
        continue;
      }
      if (part === span && ++spans > maxSpans) {
        throw new WireError("WIRE_TOO_LARGE", `request has more than the limit of ${maxSpans} spans`);
      }
      if (++parts > maxParts) {
        throw new WireError("WIRE_TOO_LARGE", `request has more than the limit of ${maxParts} parts`);
      }
      const partEnd = cursor.fieldEnd(end);
      if (part === leaf) cursor.position = partEnd;
      else count(part, partEnd);
    }
  };
  count(postSpansRequest, request.length);
}
