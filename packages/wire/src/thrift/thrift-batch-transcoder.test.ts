import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thriftBatchToApiV2 } from "../../test/thrift-batch-to-api-v2.ts";
import { fromApiV2Batch } from "../api-v2/from-api-v2-batch.ts";
import { WireError } from "../errors.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { encodeThriftBatch } from "../testing/encode-agent-packet.ts";
import { thriftBatchArbitrary } from "../testing/thrift-batch-arbitrary.ts";
import { ThriftBatchTranscoder } from "./thrift-batch-transcoder.ts";

describe("ThriftBatchTranscoder", () => {
  test("writes the rows that the way over objects gives", () => {
    const transcoder = new ThriftBatchTranscoder();
    fc.assert(
      fc.property(thriftBatchArbitrary, fc.constantFrom("", "acme"), (batch, tenant) => {
        const writer = new SpanRowWriter();
        for (const span of fromApiV2Batch(thriftBatchToApiV2(batch), "jaeger")) {
          writer.append(span, tenant);
        }
        const { rows, rejectedSpans } = transcoder.transcode(encodeThriftBatch(batch, "binary"), tenant);
        expect(Buffer.from(rows.bytes).equals(writer.take().bytes)).toBe(true);
        expect({ count: rows.count, rejectedSpans }).toEqual({ count: batch.spans.length, rejectedSpans: 0 });
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  test("ignores bytes behind the struct, and keeps rows within their limit", () => {
    const [batch] = fc.sample(
      thriftBatchArbitrary.filter(({ spans }) => spans.length > 1),
      { seed: 1, numRuns: 1 },
    );
    if (batch === undefined) {
      throw new Error("no batch");
    }
    const message = encodeThriftBatch(batch, "binary");
    const longer = Buffer.concat([message, Buffer.from("more")]);
    expect(new ThriftBatchTranscoder().transcode(longer).rows.count).toBe(batch.spans.length);
    expect(() => new ThriftBatchTranscoder({ maxRowsBytes: 200 }).transcode(message)).toThrow(
      expect.objectContaining({ code: "WIRE_TOO_LARGE" }),
    );
  });

  test("answers damaged and cut messages with good rows or a WireError, never otherwise", () => {
    const messages = fc
      .sample(
        thriftBatchArbitrary.filter(({ spans }) => spans.length > 0),
        { seed: 2, numRuns: 30 },
      )
      .map((batch) => encodeThriftBatch(batch, "binary"));
    const transcoder = new ThriftBatchTranscoder();
    const seen = { good: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.nat(messages.length - 1),
        fc.array(fc.tuple(fc.nat(0xffff), fc.nat(255)), { maxLength: 3 }),
        fc.option(fc.nat(0xffff), { nil: undefined }),
        (index, changes, cut) => {
          const message = Buffer.from(messages[index] ?? []);
          for (const [at, byte] of changes) {
            message[at % message.length] = byte;
          }
          try {
            const cutMessage = cut === undefined ? message : message.subarray(0, cut % message.length);
            const { rows } = transcoder.transcode(cutMessage);
            expect(readSpanRows(rows.bytes)).toHaveLength(rows.count);
            seen.good++;
          } catch (error) {
            if (!(error instanceof WireError)) {
              throw error;
            }
            seen.refused++;
          }
        },
      ),
      { seed: 3, numRuns: 4_000 },
    );
    expect(seen.good).toBeGreaterThan(200);
    expect(seen.refused).toBeGreaterThan(200);
  });
});
