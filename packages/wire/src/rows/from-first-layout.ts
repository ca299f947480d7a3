import { WireError } from "../errors.ts";
import { attributeTypeCodes } from "../model/attribute.ts";
import { AttributeWriter } from "./attribute-writer.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { RowReader } from "./row-reader.ts";

const typeCount = Object.keys(attributeTypeCodes).length;
/** Number of bytes of columns with a fixed width: three ids, two times, two ids of a link, one count. */
const [idsBytes, timesBytes, linkIdsBytes, countBytes] = [32, 16, 24, 4];

/**
 * Converts rows of the first layout to the current layout. In the first layout, attributes of resources and spans were
 * arrays of tuples, as attributes of scopes, events and links still are. All other columns are the same.
 * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED for bytes that are not such rows
 */
export function fromFirstLayout(rows: Uint8Array, out: ByteWriter): void {
  const reader = new RowReader(rows);
  const attributes = new AttributeWriter(out);
  while (!reader.done) {
    let start = reader.position;
    reader.skipString(); // tenant
    reader.uint8(); // format
    reader.skipString(); // service
    out.copy(reader.bytes, start, reader.position);
    writeList(reader, attributes); // resource_attributes
    start = reader.position;
    skipRestOfResource(reader);
    skipSpanToStatus(reader);
    out.copy(reader.bytes, start, reader.position);
    writeList(reader, attributes); // attributes
    start = reader.position;
    skipRestOfSpan(reader);
    out.copy(reader.bytes, start, reader.position);
  }
}

/** Reads an array of tuples (key, type, value) and writes it as a list in one string. */
function writeList(reader: RowReader, attributes: AttributeWriter): void {
  const { bytes, view } = reader;
  attributes.beginList();
  for (let left = reader.varint(); left > 0; left--) {
    const keyStart = reader.skipString();
    const keyEnd = reader.position;
    const type = reader.uint8();
    if (type >= typeCount) {
      throw new WireError("WIRE_MALFORMED", `attribute type ${type} is unknown`);
    }
    attributes.lenientKey(type, reader, keyStart, keyEnd);
    const valueStart = reader.skipString();
    attributes.lenientValue(bytes, view, valueStart, reader.position);
  }
  attributes.end();
}

/** Skips the columns `resource_dropped_attributes` to `scope_schema_url`. */
function skipRestOfResource(reader: RowReader): void {
  reader.skip(countBytes);
  reader.skipString(); // schema URL
  reader.skipString(); // scope: name
  reader.skipString(); // version
  skipTuples(reader);
  reader.skip(countBytes);
  reader.skipString(); // schema URL
}

/** Skips the columns `trace_id` to `status_message`. */
function skipSpanToStatus(reader: RowReader): void {
  reader.skip(idsBytes);
  reader.skipString(); // trace state
  reader.skip(countBytes); // flags
  reader.skipString(); // name
  reader.uint8(); // kind
  reader.skip(timesBytes);
  reader.uint8(); // status
  reader.skipString(); // message of the status
}

/** Skips the columns `dropped_attributes` to `warnings`. */
function skipRestOfSpan(reader: RowReader): void {
  reader.skip(countBytes);
  for (let left = reader.varint(); left > 0; left--) {
    reader.skip(8); // time of the event
    reader.skipString(); // name of the event
    skipTuples(reader);
    reader.skip(countBytes);
  }
  reader.skip(countBytes);
  for (let left = reader.varint(); left > 0; left--) {
    reader.skip(linkIdsBytes);
    reader.skipString(); // trace state
    skipTuples(reader);
    reader.skip(2 * countBytes); // dropped attributes, flags
    reader.uint8(); // type of the reference
  }
  reader.skip(countBytes);
  for (let left = reader.varint(); left > 0; left--) {
    reader.skipString(); // warnings
  }
}

/** Skips an array of attributes: a count, then for each attribute its key, the number of its type, and its value. */
function skipTuples(reader: RowReader): void {
  for (let left = reader.varint(); left > 0; left--) {
    reader.skipString();
    reader.uint8();
    reader.skipString();
  }
}
