import { readSpanRows } from "./read-span-rows.ts";
import { SpanRowWriter } from "./span-row-writer.ts";
import { plainBytesOf, type SpanRows } from "./span-rows.ts";

/**
 * For tests: whether the spans of rows are written as these rows again. They are, unless a transcoder has let in what rows must
 * not have, such as texts that are not UTF-8 or with marks of lists in them.
 */
export function isWrittenAgain(rows: SpanRows): boolean {
  const writer = new SpanRowWriter();
  for (const span of readSpanRows(rows.bytes)) writer.append(span);
  const again = writer.take();
  return plainBytesOf(again) === plainBytesOf(rows) && Buffer.compare(again.bytes, rows.bytes) === 0;
}
