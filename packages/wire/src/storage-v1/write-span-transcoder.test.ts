import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromApiV2Batch } from "../api-v2/from-api-v2-batch.ts";
import { Batch } from "../gen/tracing/api_v2/model.ts";
import { WriteSpanRequest } from "../gen/tracing/storage/v1/storage.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { RowScanner } from "../rows/row-scanner.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { WriteSpanTranscoder } from "./write-span-transcoder.ts";

const span = { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), operationName: "GET /" };
const request = Buffer.from(WriteSpanRequest.encode(WriteSpanRequest.fromPartial({ span })).finish());

describe("WriteSpanTranscoder", () => {
  test("gives the row of a batch with that span", () => {
    const transcoder = new WriteSpanTranscoder();
    fc.assert(
      fc.property(batchArbitrary, (batch) => {
        // Unknown fields and similar cases: the result equals the result for the decoded message.
        for (const one of Batch.decode(Batch.encode(batch).finish()).spans) {
          const { rows } = transcoder.transcode(WriteSpanRequest.encode({ span: one }).finish());
          expect(rows.count).toBe(1);
          expect(readSpanRows(rows.bytes)).toEqual(
            fromApiV2Batch({ spans: [one], process: undefined }, "proto"),
          );
        }
      }),
    );
  });

  test("writes the tenant", () => {
    const { rows } = new WriteSpanTranscoder().transcode(request, "acme");
    const scanner = new RowScanner();
    scanner.open(rows);
    scanner.next();
    expect(Buffer.from(rows.bytes.subarray(scanner.tenantStart, scanner.tenantEnd)).toString()).toBe("acme");
  });

  test.each([
    ["behind the span", Buffer.concat([request, Buffer.from([0x12, 2, 0x0a, 0])])],
    ["before it", Buffer.concat([Buffer.from([0x12, 2, 0x0a, 0]), request])],
    ["with a number that a batch does not know", Buffer.concat([Buffer.from([0x18, 1]), request])],
  ])("takes no field %s for the process of a batch", (_, bytes) => {
    const { rows } = new WriteSpanTranscoder().transcode(bytes);
    const [row] = readSpanRows(rows.bytes);
    expect(row?.name).toBe("GET /");
    expect(row?.resource.serviceName).toBe("null-process-and-service-name");
  });

  test.each([
    ["nothing", Buffer.alloc(0), "WIRE_MALFORMED"],
    ["other bytes", Buffer.from("hello world"), "WIRE_MALFORMED"],
    ["half a request", request.subarray(0, 12), "WIRE_MALFORMED"],
    [
      "a trace id of 3 bytes",
      Buffer.from(
        WriteSpanRequest.encode(
          WriteSpanRequest.fromPartial({ span: { ...span, traceId: Buffer.alloc(3) } }),
        ).finish(),
      ),
      "WIRE_BAD_ID",
    ],
  ])("refuses %s", (_, bytes, code) => {
    expect(() => new WriteSpanTranscoder().transcode(bytes)).toThrow(expect.objectContaining({ code }));
  });
});
