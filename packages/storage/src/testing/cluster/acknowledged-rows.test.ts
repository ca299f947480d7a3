import { expect, test } from "vitest";
import type { SpanWriter } from "../../api/span-writer.ts";
import { rowsOf } from "../../contract/contract-context.ts";
import { sampleSpan } from "../../contract/sample-spans.ts";
import { AcknowledgedRows } from "./acknowledged-rows.ts";

test("counts rows that were written, those of a token and a day once, and none whose write failed", async () => {
  const acknowledged = new AcknowledgedRows();
  const store = async (_: unknown, { deduplicationToken }: { readonly deduplicationToken: string }) => {
    if (deduplicationToken === "refused") {
      throw new Error("refused");
    }
  };
  const writer: SpanWriter = acknowledged.countedBy({ writeSpans: store, writeSpanSource: store });
  expect(acknowledged.total).toBe(0);
  const pair = rowsOf(sampleSpan(), sampleSpan());
  for (const deduplicationToken of ["one", "one", "two"]) {
    await writer.writeSpans(pair, { deduplicationToken });
  }
  expect(acknowledged.total).toBe(4);
  await writer.writeSpans(pair, { deduplicationToken: "one", receivedUnixMs: 0 });
  expect(acknowledged.total).toBe(6);
  const source = { count: 3, pieces: async function* () {} };
  await writer.writeSpanSource?.(source, { deduplicationToken: "three" });
  expect(acknowledged.total).toBe(9);
  const refused = { deduplicationToken: "refused" };
  await expect(writer.writeSpans(pair, refused)).rejects.toThrow("refused");
  await expect(writer.writeSpanSource?.(source, refused)).rejects.toThrow("refused");
  expect(acknowledged.total).toBe(9);
});
