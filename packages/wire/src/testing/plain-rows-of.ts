import fc from "fast-check";
import type { Span } from "../model/span.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import type { SpanRows } from "../rows/span-rows.ts";
import { spanArbitrary } from "./span-arbitrary.ts";

/** For tests: rows of spans, each with a full prefix. */
export function plainRowsOf(spans: readonly Span[], tenant = ""): SpanRows {
  const writer = new SpanRowWriter();
  const rows = spans.map((span) => {
    writer.append(span, tenant);
    return Buffer.from(writer.take().bytes);
  });
  return { bytes: Buffer.concat(rows), count: spans.length };
}

/**
 * For tests: spans. Some spans have the same object or an equal object as resource, scope and format of the previous
 * span.
 */
export const sharingSpans: fc.Arbitrary<Span[]> = fc
  .array(fc.tuple(spanArbitrary, fc.constantFrom("own", "same", "equal")), { maxLength: 8 })
  .map((list) => {
    const spans: Span[] = [];
    for (const [span, kind] of list) {
      const before = spans.at(-1);
      if (kind === "own" || before === undefined) {
        spans.push(span);
        continue;
      }
      const { resource, scope, format } = before;
      spans.push(
        kind === "same"
          ? { ...span, resource, scope, format }
          : { ...span, resource: { ...resource }, scope: { ...scope }, format },
      );
    }
    return spans;
  });
