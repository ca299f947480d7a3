// For any parameters the result is an answer, or an error that names a parameter.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseMetricsQuery } from "../service/parse-query.ts";
import { parseSearchParams } from "./search-params.ts";
import { tagFilter } from "./tag-filter.ts";
import { tagPlace } from "./tag-identifier.ts";
import { metricsRange, stepParam } from "./time-params.ts";
import { parseTempoTraceId } from "./trace-endpoints.ts";

const numRuns = Number(process.env.FUZZ_ROUNDS ?? 500);

const value = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.integer().map(String),
  fc.double().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom(
    ...[
      "{}",
      "{ .a = 1 }",
      "{ .a = 1 } | rate()",
      "a=b",
      '"',
      "15s",
      "1h",
      "-1s",
      "1e400",
      "0",
      "1970-01-01T00:00:00Z",
    ],
    "'; DROP TABLE spans; --",
    "{ true } || { true",
  ),
);
const names = ["q", "tags", "start", "end", "since", "step", "limit", "spss", "minDuration", "maxDuration"];
const params = fc
  .dictionary(fc.constantFrom(...names), value, { noNullPrototype: true })
  .map((fields) => new URLSearchParams(fields));

function answerOrComplaint(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    expect(error).toMatchObject({ code: "QUERY_BAD_PARAMETER", message: expect.stringMatching(/./) });
  }
}

test("a search", () => {
  fc.assert(
    fc.property(params, (one) => answerOrComplaint(() => parseSearchParams(one, Date.now()))),
    { numRuns },
  );
});

test("metrics", () => {
  const parse = (one: URLSearchParams) => {
    const range = metricsRange(one, Date.now());
    const stepNano = stepParam(one, range);
    expect(range.endUnixNano).toBeGreaterThan(range.startUnixNano);
    expect((range.endUnixNano - range.startUnixNano) / stepNano).toBeLessThanOrEqual(11_001n);
    parseMetricsQuery(one.get("q") ?? "");
  };
  fc.assert(
    fc.property(params, (one) => answerOrComplaint(() => parse(one))),
    { numRuns },
  );
});

test("tags, filters and ids", () => {
  fc.assert(
    fc.property(value, (text) => {
      answerOrComplaint(() => tagPlace(text));
      answerOrComplaint(() => parseTempoTraceId(text));
      expect(tagFilter(text).filter).toBeTypeOf("object");
    }),
    { numRuns },
  );
});
