import type { Span } from "../model/span.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { RowScanner } from "../rows/row-scanner.ts";
import { SpanRowWriter, writeAttributes } from "../rows/span-row-writer.ts";

/** For tests: the row of a span in the first layout, which had attributes as arrays of tuples. */
export function firstLayoutOf(span: Span): Buffer {
  const writer = new SpanRowWriter();
  writer.append(span, "tenant");
  const bytes = Buffer.from(writer.take().bytes);
  const scanner = new RowScanner();
  scanner.open({ bytes, count: 1 });
  scanner.next();
  const tuples = (attributes: Span["attributes"]) => {
    const out = new ByteWriter();
    writeAttributes(out, attributes);
    return out.bytes;
  };
  return Buffer.concat([
    bytes.subarray(0, scanner.resourceAttributesStart),
    tuples(span.resource.attributes),
    bytes.subarray(scanner.resourceAttributesEnd, scanner.attributesStart),
    tuples(span.attributes),
    bytes.subarray(scanner.attributesEnd),
  ]);
}
