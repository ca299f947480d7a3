import { readSpanRows } from "../rows/read-span-rows.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { plainBytesOf, type SpanRows } from "../rows/span-rows.ts";

/**
 * For tests: true when writing the decoded spans results in the same rows. False means that a transcoder accepted
 * forbidden bytes, such as text that is not UTF-8 or that contains marks of lists.
 */
export function isWrittenAgain(rows: SpanRows): boolean {
  const writer = new SpanRowWriter();
  for (const span of readSpanRows(rows.bytes)) {
    writer.append(span);
  }
  const again = writer.take();
  return plainBytesOf(again) === plainBytesOf(rows) && Buffer.compare(again.bytes, rows.bytes) === 0;
}
