import type { PackedTrace } from "storage/api";
import { SpanRowWriter } from "wire/rows/span-row-writer";
import type { SpanRows } from "wire/rows/span-rows";
import { spansOf } from "./spans-of.ts";

/** Maximum number of spans in a block, far below the limits of one insert and of one message to a remote storage. */
const maxBlockSpans = 5_000;

/** A trace as blocks of rows. Each block is a view that is valid until the next block is requested. */
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
