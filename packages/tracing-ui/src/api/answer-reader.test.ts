import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerReader } from "./answer-reader.ts";

/** A reader that was given a text in parts. @param pieceBytes it parses at a time @param partBytes of a part */
function read(text: string, pieceBytes: number, partBytes: number): AnswerReader {
  const reader = new AnswerReader(pieceBytes);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += partBytes) {
    reader.push(bytes.subarray(at, at + partBytes));
  }
  return reader;
}

// Texts that look like the place between two spans, quotes and all.
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('},{"traceID":"', '"},{"traceID":"x', "\\", '\\"'),
);
const span = fc.record({
  ...{ traceID: text, spanID: text, operationName: text },
  references: fc.array(fc.record({ refType: text, traceID: text, spanID: text }), { maxLength: 2 }),
  tags: fc.array(fc.record({ key: text, value: text }), { maxLength: 2 }),
});
const trace = fc.record({
  ...{ traceID: text, spans: fc.array(span, { maxLength: 12 }) },
  processes: fc.dictionary(text, fc.record({ traceID: text })),
});
const answer = fc.record({
  data: fc.array(trace, { maxLength: 3 }),
  errors: fc.constant(null),
  partial: fc.boolean(),
});

test("an answer is the same in pieces and at once, with one trace or several", () => {
  fc.assert(
    fc.property(
      answer,
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 150 }),
      (value, piece, part) => {
        const whole = JSON.stringify(value);
        const reader = read(whole, piece, part);
        expect(reader.value()).toEqual(JSON.parse(whole));
        expect(reader.text()).toBe(whole);
      },
    ),
    { numRuns: 400 },
  );
});

test("an answer that breaks off anywhere is no JSON, and others are read as they are", () => {
  const spans = Array.from({ length: 6 }, (_, index) => ({ traceID: "t", spanID: String(index) }));
  const whole = JSON.stringify({ data: [{ traceID: "t", spans, processes: {} }], errors: null });
  for (let end = 0; end < whole.length; end += 1) {
    expect(read(whole.slice(0, end), 40, 7).value()).toBeUndefined();
  }
  for (const other of [
    "null",
    "12",
    '{"data":null}',
    '[{"traceID":"a"},{"traceID":"b"}]',
    '{"data":[{"a":1},{"traceID":"b"}]}',
  ]) {
    expect(read(other, 1, 3).value()).toEqual(JSON.parse(other));
  }
});

test("pieces of a long trace are parsed while it arrives", () => {
  const spans = Array.from({ length: 1_000 }, (_, index) => ({ traceID: "t", spanID: String(index) }));
  const whole = JSON.stringify({ data: [{ traceID: "t", spans, processes: {} }], errors: null });
  const parsed: number[] = [];
  const original = JSON.parse;
  JSON.parse = (json: string) => {
    parsed.push(json.length);
    return original(json);
  };
  try {
    expect(read(whole, 2_000, 500).value()).toEqual(original(whole));
  } finally {
    JSON.parse = original;
  }
  expect(Math.max(...parsed)).toBeLessThan(3_000);
});

test("a span that is longer than a piece is read like the others", () => {
  const long = { traceID: "t", spanID: "1", tags: [{ key: "a", value: "}".repeat(5_000) }] };
  const spans = [{ traceID: "t", spanID: "0" }, long, { traceID: "t", spanID: "2" }, long];
  const value = { data: [{ traceID: "t", spans, processes: {} }], errors: null };
  expect(read(JSON.stringify(value), 50, 20).value()).toEqual(value);
});
