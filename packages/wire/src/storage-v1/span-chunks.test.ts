import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Batch } from "../gen/tracing/api_v2/model.ts";
import { SpansResponseChunk } from "../gen/tracing/storage/v1/storage.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { encodeSpanChunks } from "./span-chunks.ts";

describe("encodeSpanChunks", () => {
  test("encodes all spans in order, within its limits", () => {
    const limits = { maxSpans: 2, maxBytes: 600 };
    fc.assert(
      fc.property(batchArbitrary, (batch) => {
        const { spans } = Batch.decode(Batch.encode(batch).finish());
        const messages = [...encodeSpanChunks(spans, limits)];
        const chunks = messages.map((message) => SpansResponseChunk.decode(message).spans);
        expect(chunks.flat()).toEqual(spans);
        for (const [index, chunk] of chunks.entries()) {
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(limits.maxSpans);
          if (chunk.length > 1) {
            expect(messages[index]?.length).toBeLessThanOrEqual(limits.maxBytes);
          }
        }
      }),
    );
  });

  test("gives no message when there is no span", () => {
    expect([...encodeSpanChunks([])]).toEqual([]);
  });
});
