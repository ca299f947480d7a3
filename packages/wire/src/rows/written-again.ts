import { readSpanRows } from "./read-span-rows.ts";
import { SpanRowWriter } from "./span-row-writer.ts";

/**
 * For tests: what the spans of rows are written as. The same bytes, unless a transcoder has let in what rows must not have,
 * such as texts that are not UTF-8 or with marks of lists in them.
 */
export function writtenAgain(rows: Uint8Array): Uint8Array {
  const writer = new SpanRowWriter();
  for (const span of readSpanRows(rows)) writer.append(span);
  return writer.take().bytes;
}
