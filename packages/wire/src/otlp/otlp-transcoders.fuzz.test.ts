import fc from "fast-check";
import { expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { damagedMessage, randomOf } from "../testing/damaged-message.ts";
import { otlpJsonOf, requestOfSpans } from "../testing/request-of-spans.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { isWrittenAgain } from "../testing/written-again.ts";
import { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run …`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 5_000);
const timeoutMs = 20_000 + rounds * 2;

const samples = fc
  .sample(fc.array(spanArbitrary, { minLength: 1, maxLength: 2 }), { seed: 5, numRuns: 50 })
  .map(requestOfSpans);

/** Rows as hex, or the code of the error. */
function outcomeOf(transcoder: MessageTranscoder, request: Buffer, writesAgain = false): string {
  try {
    const { rows } = transcoder.transcode(request);
    expect(readSpanRows(rows.bytes).length).toBe(rows.count);
    if (writesAgain) {
      expect(isWrittenAgain(rows)).toBe(true);
    }
    return Buffer.from(rows.bytes).toString("hex");
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}

test.each([
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
      const request = damagedMessage(requests, random);
      try {
        const outcome = outcomeOf(transcoder, request);
        if (outcome.startsWith("WIRE_")) {
          seen.refused++;
        } else {
          seen.good++;
        }
        // The state of the transcoder after earlier requests must not matter.
        if (round % 16 === 0) {
          expect(outcomeOf(open(), request, true)).toBe(outcome);
        }
      } catch (error) {
        throw new Error(`round ${round}: ${request.toString("hex")}`, { cause: error });
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 20);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
