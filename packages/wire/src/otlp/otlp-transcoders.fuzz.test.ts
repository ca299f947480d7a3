import fc from "fast-check";
import { expect, it } from "vitest";
import { WireError } from "../errors.ts";
import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { spanArbitrary } from "../rows/span-arbitrary.ts";
import { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";
import { otlpJsonOf, requestOfSpans } from "./request-of-spans.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run …`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 5_000);
const timeoutMs = 20_000 + rounds * 2;

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

/** A request with a few bytes changed, or a piece taken out, put in twice, or put in from another request. */
function damaged(requests: readonly Uint8Array[], random: (below: number) => number): Buffer {
  const one = (): Buffer => Buffer.from(requests[random(requests.length)] ?? []);
  let request = one();
  for (let change = random(3); change >= 0; change--) {
    const at = random(request.length);
    const end = at + random(Math.min(40, request.length - at));
    switch (random(8)) {
      case 0:
        request = Buffer.concat([request.subarray(0, at), request.subarray(end)]);
        break;
      case 1:
        request = Buffer.concat([request.subarray(0, end), request.subarray(at)]);
        break;
      case 2: {
        const other = one();
        request = Buffer.concat([request.subarray(0, at), other.subarray(random(other.length))]);
        break;
      }
      default:
        // Half the changes put in a byte that the request has elsewhere, which does deeper damage to JSON.
        request[at] = random(2) === 0 ? random(256) : (request[random(request.length)] as number);
    }
    if (request.length === 0) request = one();
  }
  return request;
}

/** Rows as hex, or the error's code. */
function outcomeOf(transcoder: MessageTranscoder, request: Buffer): string {
  try {
    const { rows } = transcoder.transcode(request);
    expect(readSpanRows(rows.bytes).length).toBe(rows.count);
    return Buffer.from(rows.bytes).toString("hex");
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
}

it.each([
  {
    format: "protobuf",
    open: () => new OtlpTranscoder(),
    requests: samples.map((request) => ExportTraceServiceRequest.encode(request).finish()),
  },
  {
    format: "JSON",
    open: () => new OtlpJsonTranscoder(),
    requests: samples.map((request) => Buffer.from(otlpJsonOf(request))),
  },
])(
  "answers damaged $format with good rows or a WireError, never otherwise",
  ({ open, requests }) => {
    const transcoder = open();
    const random = randomOf(2026);
    const seen = { good: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const request = damaged(requests, random);
      try {
        const outcome = outcomeOf(transcoder, request);
        if (outcome.startsWith("WIRE_")) seen.refused++;
        else seen.good++;
        // What the requests before left in the transcoder must not matter.
        if (round % 16 === 0) expect(outcomeOf(open(), request)).toBe(outcome);
      } catch (error) {
        throw new Error(`round ${round}: ${request.toString("hex")}`, { cause: error });
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 20);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
