import { describe, expect, test } from "vitest";
import { newToken, rowsOf, write } from "../../contract/contract-context.ts";
import { sampleSpan } from "../../contract/sample-spans.ts";
import { traceStoreContract } from "../../contract/trace-store-contract.ts";
import { openMemoryStore } from "./memory-store.ts";

traceStoreContract({ name: "memory", open: () => openMemoryStore() });

describe("openMemoryStore", () => {
  test("drops the oldest traces by first arrival when there are more than maxTraces", async () => {
    const store = openMemoryStore({ maxTraces: 2 });
    const [first, second, third] = [sampleSpan(), sampleSpan(), sampleSpan()];
    await write(store, [first]);
    await write(store, [second]);
    await write(store, [sampleSpan({ traceId: first.traceId })]);
    await write(store, [third]);
    const ids = [first, second, third].map(({ traceId }) => traceId);
    expect((await store.reader.getTraces(ids)).map(({ traceId }) => traceId)).toEqual(ids.slice(1));
  });

  test("forgets a token after 10,000 others", async () => {
    const store = openMemoryStore();
    const span = sampleSpan();
    const rows = rowsOf(span);
    const [first, ...others] = Array.from({ length: 10_001 }, newToken) as [string, ...string[]];
    await store.writer.writeSpans(rows, { deduplicationToken: first });
    for (const deduplicationToken of others) {
      await store.writer.writeSpans({ bytes: new Uint8Array(0), count: 0 }, { deduplicationToken });
    }
    await store.writer.writeSpans(rows, { deduplicationToken: first });
    expect((await store.reader.getTraces([span.traceId]))[0]?.spans).toHaveLength(2);
  });
});
