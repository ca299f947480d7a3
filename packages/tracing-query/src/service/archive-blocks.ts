import type { PackedTrace } from "storage/api";
import { type SpanRows, SpanRowWriter } from "wire/rows";
import { spansOf } from "./spans-of.ts";

/** A block stays far from what one insert may hold, and from what one message to a remote storage may. */
const maxBlockSpans = 5_000;

/** A trace as blocks of rows to be written. Each is a view that is valid until the next one is asked for. */
export function* archiveBlocks({ spans }: PackedTrace, tenant: string): Generator<SpanRows> {
  const writer = new SpanRowWriter();
  let count = 0;
  for (const span of spansOf(spans)) {
    writer.append(span, tenant);
    count++;
    if (count === maxBlockSpans) {
      yield writer.take();
      count = 0;
    }
  }
  if (count > 0) {
    yield writer.take();
  }
}
