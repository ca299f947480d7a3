import { attributeMark, eventMark, fieldMark, typeLetterBytes, valueMark } from "../attribute-list.ts";
import type { ByteWriter } from "../byte-writer.ts";
import { writeDecimal } from "../decimal-text.ts";
import { copyStringBytes } from "./native-column.ts";
import type { RowBytes } from "./row-bytes.ts";

/**
 * Reads the next events of `from`, and writes them in the form that `attribute-list.ts` describes, after their length.
 * An event `retry` at 5 ns with `{try: 2}` becomes `fd 5 fc retry ff try fe i2 ff`.
 */
export function writeEventText(out: ByteWriter, from: RowBytes): void {
  const at = out.beginString();
  for (let left = from.length(); left > 0; left--) {
    const { view, position } = from;
    out.uint8(eventMark);
    writeDecimal(out, view.getInt32(position, true), view.getInt32(position + 4, true));
    from.position = position + 8;
    out.uint8(fieldMark);
    copyStringBytes(from, out);
    writeAttributes(out, from);
    const dropped = view.getUint32(from.position, true);
    from.position += 4;
    if (dropped === 0) {
      continue;
    }
    out.uint8(fieldMark);
    out.utf8(String(dropped));
  }
  out.endString(at);
}

/** Converts an array of tuples to a list without a length, because the marks of the event delimit the list. */
function writeAttributes(out: ByteWriter, from: RowBytes): void {
  const count = from.length();
  for (let left = count; left > 0; left--) {
    out.uint8(attributeMark);
    copyStringBytes(from, out);
    out.uint8(valueMark);
    out.uint8(typeLetterBytes[from.bytes[from.position++] as number] as number);
    copyStringBytes(from, out);
  }
  if (count > 0) {
    out.uint8(attributeMark);
  }
}
