import { WireError } from "../errors.ts";
import type { SpanEvent } from "../model/span.ts";
import { attributeMark, eventMark, fieldMark } from "./attribute-list.ts";
import { readListBetween, type SpanRowReader } from "./span-row-reader.ts";

const [minus, zero, nine] = [0x2d, 0x30, 0x39];
const longestInt64 = "-9223372036854775808".length;
const longestUint32 = "4294967295".length;

/** Reads a column of events. @throws WireError WIRE_MALFORMED for malformed bytes */
export function readEventText(reader: SpanRowReader): SpanEvent[] {
  const events: SpanEvent[] = [];
  let at = reader.skipString();
  const last = reader.position;
  while (at < last) {
    const end = endOfEvent(reader, at, last);
    events.push(readEvent(reader, at, end));
    at = end;
  }
  return events;
}

/** Reads an event from its mark to the next event's mark, or to the end. */
function readEvent(reader: SpanRowReader, start: number, end: number): SpanEvent {
  const { bytes } = reader;
  const timeEnd = endOfDecimal(reader, start + 1, end, longestInt64);
  if (bytes[start] !== eventMark || bytes[timeEnd] !== fieldMark || timeEnd === end) {
    throw malformedEvent(start);
  }
  const timeUnixNano = BigInt(bytes.toString("latin1", start + 1, timeEnd));
  if (BigInt.asIntN(64, timeUnixNano) !== timeUnixNano) {
    throw malformedEvent(start);
  }
  let nameEnd = timeEnd + 1;
  while (nameEnd < end && bytes[nameEnd] !== attributeMark && bytes[nameEnd] !== fieldMark) {
    nameEnd++;
  }
  let listEnd = nameEnd;
  while (listEnd < end && bytes[listEnd] !== fieldMark) {
    listEnd++;
  }
  return {
    timeUnixNano,
    name: reader.repeatedText(timeEnd + 1, nameEnd),
    attributes: readListBetween(reader, nameEnd, listEnd),
    droppedAttributesCount: listEnd === end ? 0 : readCount(reader, listEnd + 1, end),
  };
}

function readCount(reader: SpanRowReader, start: number, end: number): number {
  const countEnd = endOfDecimal(reader, start, end, longestUint32);
  const count = Number(reader.bytes.toString("latin1", start, countEnd));
  if (countEnd !== end || !(count > 0 && count <= 0xffff_ffff)) {
    throw malformedEvent(start);
  }
  return count;
}

/** Position of the next event's mark, or `last`. */
function endOfEvent({ bytes }: SpanRowReader, start: number, last: number): number {
  let at = start + 1;
  while (at < last && bytes[at] !== eventMark) {
    at++;
  }
  return at;
}

/** End of a decimal number. Only its characters and its length are checked. */
function endOfDecimal({ bytes }: SpanRowReader, start: number, end: number, longest: number): number {
  const digits = bytes[start] === minus ? start + 1 : start;
  let at = digits;
  while (at < end && (bytes[at] as number) >= zero && (bytes[at] as number) <= nine) {
    at++;
  }
  if (at <= digits || at - start > longest) {
    throw malformedEvent(start);
  }
  return at;
}

function malformedEvent(position: number): WireError {
  return new WireError("WIRE_MALFORMED", `what stands at byte ${position} of the rows is no event`);
}
