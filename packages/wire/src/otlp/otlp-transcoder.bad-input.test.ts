import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import { maxAttributeDepth } from "../model/attribute.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { decodeTraces } from "../testing/decode-traces.ts";
import { ids, protoMessage, requestOf, spanId, traceId } from "../testing/proto-fields.ts";
import { requestOfSpans } from "../testing/request-of-spans.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";

function codeOf(request: Uint8Array): string {
  try {
    const { rows, rejectedSpans } = new OtlpTranscoder().transcode(request);
    if (rejectedSpans > 0) {
      return "rejected";
    }
    return readSpanRows(rows.bytes).some(({ warnings }) => warnings.length > 0) ? "warned" : "none";
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}
/** Nested arrays; the innermost array is empty. */
function nestedArrays(depth: number): Uint8Array {
  let value = protoMessage([5, "bytes", ""]);
  for (let level = 1; level < depth; level++) {
    value = protoMessage([5, "bytes", [[1, "bytes", value]]]);
  }
  return value;
}

describe("OtlpTranscoder, given bad input", () => {
  const long = Buffer.from("ffffffffffffffffffffff01", "hex");
  test.each<[name: string, request: Uint8Array, code: string]>([
    [
      "a trace id of 15 bytes",
      requestOf([1, "bytes", traceId.subarray(1)], [2, "bytes", spanId]),
      "rejected",
    ],
    ["a trace id of 8 bytes", requestOf([1, "bytes", spanId], [2, "bytes", spanId]), "warned"],
    ["a span id of 9 bytes", requestOf([2, "bytes", Buffer.alloc(9)]), "rejected"],
    ["a parent id of 1 byte", requestOf(...ids, [4, "bytes", "x"]), "warned"],
    ["a link with a trace id of 3 bytes", requestOf(...ids, [13, "bytes", [[1, "bytes", "abc"]]]), "warned"],
    ["text", Buffer.from("hello world"), "WIRE_MALFORMED"],
    ["a tag alone", Buffer.from([0x0a]), "WIRE_TRUNCATED"],
    ["a length past the end", Buffer.from([0x0a, 5, 0]), "WIRE_TRUNCATED"],
    ["a length of 2^63", Buffer.concat([Buffer.from([0x0a]), long.subarray(2)]), "WIRE_TRUNCATED"],
    ["a varint of 11 bytes", Buffer.concat([Buffer.from([0x10]), long]), "WIRE_MALFORMED"],
    ["a tag of 6 bytes", Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x80, 0x01]), "WIRE_MALFORMED"],
    ["field number 0", Buffer.from([0x02, 0]), "WIRE_MALFORMED"],
    ["a group", Buffer.from([0x0b, 0x0c]), "WIRE_MALFORMED"],
    ["an end of group", Buffer.from([0x0c]), "WIRE_MALFORMED"],
    ["wire type 7", Buffer.from([0x0f]), "WIRE_MALFORMED"],
    [
      "a fixed64 of 4 bytes",
      requestOf(...ids, [15, "bytes", Buffer.from([0x39, 0, 0, 0, 0])]),
      "WIRE_TRUNCATED",
    ],
    ["an attribute past its span", requestOf(...ids, [9, "bytes", Buffer.from([0x0a, 9])]), "WIRE_TRUNCATED"],
    [
      "a double past its value",
      requestOf(...ids, [9, "bytes", [[2, "bytes", Buffer.from([0x21])]]]),
      "WIRE_TRUNCATED",
    ],
    ["a name that is no UTF-8", requestOf(...ids, [5, "bytes", Buffer.from([0xff])]), "none"],
    ["a long name that is no UTF-8", requestOf(...ids, [5, "bytes", Buffer.alloc(300, 0xc3)]), "none"],
    [
      "a key that is no UTF-8",
      requestOf(...ids, [9, "bytes", [[1, "bytes", Buffer.from([0xc0, 0x80])]]]),
      "none",
    ],
    ["a rejected span that is malformed inside", requestOf([9, "bytes", Buffer.from([0x0b])]), "rejected"],
    [
      "values nested as deep as allowed",
      requestOf(...ids, [9, "bytes", [[2, "bytes", nestedArrays(maxAttributeDepth)]]]),
      "none",
    ],
    [
      "values nested too deep",
      requestOf(...ids, [9, "bytes", [[2, "bytes", nestedArrays(maxAttributeDepth + 1)]]]),
      "warned",
    ],
    [
      "values nested absurdly",
      requestOf(...ids, [9, "bytes", [[2, "bytes", nestedArrays(5_000)]]]),
      "warned",
    ],
  ])("answers %s", (_name, request, code) => {
    expect(codeOf(request)).toBe(code);
  });

  test("finds the one bad byte of a string, wherever it is", () => {
    for (const length of [1, 3, 4, 5, 8, 11, 127, 128]) {
      for (let index = 0; index < length; index++) {
        const name = Buffer.alloc(length, "x");
        expect(codeOf(requestOf(...ids, [5, "bytes", name]))).toBe("none");
        name[index] = 0x80;
        const { rows } = new OtlpTranscoder().transcode(requestOf(...ids, [5, "bytes", name]));
        expect(readSpanRows(rows.bytes)[0]?.name).toBe(name.toString("utf8"));
        expect(name.toString("utf8")).toContain("\ufffd");
      }
    }
  });

  test("is good for the next request after a refused one", () => {
    const transcoder = new OtlpTranscoder();
    const good = requestOf(...ids);
    expect(() => transcoder.transcode(good.subarray(0, -1))).toThrow(WireError);
    expect(readSpanRows(transcoder.transcode(good).rows.bytes)).toHaveLength(1);
  });

  test("refuses every cut of a request or reads fewer spans", () => {
    const spans = fc.sample(spanArbitrary, { seed: 7, numRuns: 2 });
    const request = ExportTraceServiceRequest.encode(requestOfSpans(spans)).finish();
    for (let end = 0; end < request.length; end++) {
      const code = codeOf(request.subarray(0, end));
      if (code === "none") {
        expect(decodeTraces(request.subarray(0, end)).length).toBeLessThan(2);
      } else {
        expect(code).toBe("WIRE_TRUNCATED");
      }
    }
  });
});
