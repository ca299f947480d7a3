import type { HeaderField } from "../http2/header-field.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { DynamicTable } from "./qpack-dynamic-table.ts";
import { type QpackFaults, QpackReader } from "./qpack-reader.ts";
import { staticTable } from "./qpack-static-table.ts";

/** Bytes that QPACK adds to the name and value of each field. Source: RFC 9114, section 4.2.2 */
const fieldOverheadBytes = 32;

const malformed = (message: string) => new Http3Error(http3Errors.qpackDecompressionFailed, message);
const faults: QpackFaults = { malformed, short: () => malformed("a field section ends too early") };

const staticFields: readonly HeaderField[] = staticTable.map(([name, value]) => ({ name, value }));
const emptyTable = new DynamicTable(0);

/** An entry of the static table. @throws `fault` for an unknown index */
export function staticField(index: number, fault: (message: string) => Error): HeaderField {
  const field = staticFields[index];
  if (field === undefined) {
    throw fault(`no field has the number ${index}`);
  }
  return field;
}

/** The prefix of a field section. Source: RFC 9204, section 4.5.1 */
interface SectionPrefix {
  /** Number of dynamic table entries that must have arrived before the section can be decoded. */
  readonly requiredInserts: number;
  /** Number of the entry from which relative indexes count. */
  readonly base: number;
}

/** Source: RFC 9204, section 4.5.1 */
function readPrefix(reader: QpackReader, table: DynamicTable): SectionPrefix {
  const requiredInserts = readRequiredInserts(reader.integer(8), table);
  const isNegative = (reader.peek & 0x80) !== 0;
  const delta = reader.integer(7);
  const base = isNegative ? requiredInserts - delta - 1 : requiredInserts + delta;
  if (base < 0) {
    throw malformed("the base of a field section is negative");
  }
  return { requiredInserts, base };
}

/** Decodes the count, which is sent modulo twice the maximum number of entries. Source: RFC 9204, section 4.5.1.1 */
function readRequiredInserts(encoded: number, { maxEntries, insertCount }: DynamicTable): number {
  if (encoded === 0) {
    return 0;
  }
  const range = 2 * maxEntries;
  if (encoded > range) {
    throw malformed("a field section needs entries that no dynamic table can hold");
  }
  const largest = insertCount + maxEntries;
  const count = Math.floor(largest / range) * range + encoded - 1;
  const required = count > largest ? count - range : count;
  if (required <= 0) {
    throw malformed("a field section needs a negative number of entries");
  }
  return required;
}

/**
 * @param table dynamic table of the peer
 * @returns the number of dynamic table entries that must have arrived before the section can be decoded
 * @throws Http3Error QPACK_DECOMPRESSION_FAILED
 */
export function requiredInserts(section: Buffer, table: DynamicTable): number {
  return readPrefix(new QpackReader(section, faults), table).requiredInserts;
}

/**
 * Decodes a field section.
 * @param maxListBytes size limit of names and values, with 32 bytes extra for each field: one byte can stand for a
 * whole entry
 * @param table dynamic table of the peer. Default: none
 * @returns undefined for a list above `maxListBytes`
 * @throws Http3Error QPACK_DECOMPRESSION_FAILED
 * Source: RFC 9204, section 4.5
 */
export function decodeFieldSection(
  section: Buffer,
  maxListBytes: number,
  table: DynamicTable = emptyTable,
): HeaderField[] | undefined {
  const reader = new QpackReader(section, faults);
  const prefix = readPrefix(reader, table);
  const entry = (number: number): HeaderField => {
    const field = number < prefix.requiredInserts ? table.field(number) : undefined;
    if (field === undefined) {
      throw malformed(`the dynamic table has no field ${number}`);
    }
    return field;
  };
  const fields: HeaderField[] = [];
  let bytes = 0;
  while (reader.left > 0) {
    const field = readField(reader, prefix.base, entry);
    bytes += field.name.length + field.value.length + fieldOverheadBytes;
    if (bytes > maxListBytes) {
      return undefined;
    }
    fields.push(field);
  }
  return fields;
}

function readField(reader: QpackReader, base: number, entry: (number: number) => HeaderField): HeaderField {
  const first = reader.peek;
  if ((first & 0x80) !== 0) {
    const index = reader.integer(6);
    return (first & 0x40) !== 0 ? staticField(index, malformed) : entry(base - 1 - index);
  }
  if ((first & 0x40) !== 0) {
    const index = reader.integer(4);
    const { name } = (first & 0x10) !== 0 ? staticField(index, malformed) : entry(base - 1 - index);
    return { name, value: reader.string(7) };
  }
  if ((first & 0x20) !== 0) {
    const name = reader.string(3);
    return { name, value: reader.string(7) };
  }
  if ((first & 0x10) !== 0) {
    return entry(base + reader.integer(4));
  }
  const { name } = entry(base + reader.integer(3));
  return { name, value: reader.string(7) };
}
