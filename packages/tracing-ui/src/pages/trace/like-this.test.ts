import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../test/fixtures/seeded-random.ts";
import { TraceBuilder } from "../../../test/fixtures/span-builder.ts";
import { buildTrace } from "../../trace/build-trace.ts";
import { fieldsOfTraits, firstTraits, timeAround, traceQlOfTraits, traitsOf } from "./like-this.ts";

const builder = new TraceBuilder(new SeededRandom(3));
const span = builder.add({
  ...{ service: "payment", operation: 'Charge "now"', kind: "client", startUs: 1_000_000 },
  tags: {
    "retry.attempt": 2,
    "card number": "0042",
    "a.long": "x".repeat(600),
    "http.retry": true,
    "otel.scope.name": "shop",
  },
});
builder.end(span, 1_002_000);
builder.fail(span, "Declined", "402");
const trace = buildTrace(builder.build());
const traits = traitsOf(trace, 0);
const some = (...names: string[]) => traits.filter(({ name }) => names.includes(name));

describe("traits of a span", () => {
  test("are its facts and its attributes, without those that say a fact again or are too long to search", () => {
    const names = traits.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(["service", "operation", "kind", "failed"]);
    expect(names).toContain("retry.attempt");
    expect(names).toContain("service.version");
    for (const none of ["a.long", "error", "span.kind", "otel.status_code"]) {
      expect(names).not.toContain(none);
    }
    expect([...firstTraits(traits)]).toEqual(["service", "operation", "failed"]);
  });

  test("are TraceQL typed as the attributes are", () => {
    expect(traceQlOfTraits(some("service", "operation", "failed", "kind"))).toBe(
      '{ resource.service.name = "payment" && name = "Charge \\"now\\"" && kind = client && status = error }',
    );
    expect(
      traceQlOfTraits(
        some("retry.attempt", "card number", "http.retry", "otel.scope.name", "service.version"),
      ),
    ).toBe(
      '{ span.retry.attempt = 2 && span."card number" = "0042" && span.http.retry = true && instrumentation:name = "shop" && resource.service.version = "3.0.1" }',
    );
    // The server sends integers past 2^53 as text.
    const [big] = some("retry.attempt").map((one) => ({ ...one, value: "9223372036854775807" }));
    expect(traceQlOfTraits(big === undefined ? [] : [big])).toBe(
      "{ span.retry.attempt = 9223372036854775807 }",
    );
    expect(traceQlOfTraits([])).toBe("{ }");
  });

  test("are fields where there is no TraceQL", () => {
    expect(fieldsOfTraits(some("service", "failed", "kind", "card number"))).toEqual({
      ...{ service: "payment", operation: undefined },
      tags: 'span.kind=client error=true "card number"=0042',
    });
  });
});

test("the time searched in holds the span, however old", () => {
  const now = 1e15;
  expect(timeAround(now - 60e6, now)).toEqual({ lookback: "1h" });
  expect(timeAround(now - 4 * 3_600e6, now)).toEqual({ lookback: "6h" });
  const old = timeAround(now - 30 * 86_400e6, now);
  expect(old.lookback).toBe("custom");
  expect(old.start).toBeLessThan(now - 30 * 86_400e6);
  expect(old.end).toBeGreaterThan(now - 30 * 86_400e6);
});
