import fc from "fast-check";
import { expect, it } from "vitest";
import { WireError } from "../errors.ts";
import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { spanArbitrary } from "../rows/span-arbitrary.ts";
import { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";
import { otlpJsonOf, requestOfSpans } from "./request-of-spans.ts";

const rounds = 5_000;

/** A small seeded generator, so that a failure comes again: mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const samples = fc
  .sample(fc.array(spanArbitrary, { minLength: 1, maxLength: 2 }), { seed: 5, numRuns: 50 })
  .map(requestOfSpans);

it.each([
  {
    format: "protobuf",
    transcoder: new OtlpTranscoder(),
    requests: samples.map((request) => ExportTraceServiceRequest.encode(request).finish()),
  },
  {
    format: "JSON",
    transcoder: new OtlpJsonTranscoder(),
    requests: samples.map((request) => Buffer.from(otlpJsonOf(request))),
  },
])("answers damaged $format with good rows or a WireError, never otherwise", ({ transcoder, requests }) => {
  const random = randomOf(2026);
  const seen = { good: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    const request = Buffer.from(requests[random(requests.length)] ?? []);
    for (let change = random(3); change >= 0; change--) {
      // Half the changes put in a byte that the request has elsewhere, which does deeper damage to JSON.
      const byte = random(2) === 0 ? random(256) : (request[random(request.length)] as number);
      request[random(request.length)] = byte;
    }
    try {
      const { rows } = transcoder.transcode(request);
      expect(readSpanRows(rows.bytes).length).toBe(rows.count);
      seen.good++;
    } catch (error) {
      if (!(error instanceof WireError))
        throw new Error(`round ${round}: ${request.toString("hex")}`, { cause: error });
      seen.refused++;
    }
  }
  expect(seen.good).toBeGreaterThan(rounds / 20);
  expect(seen.refused).toBeGreaterThan(rounds / 20);
});
