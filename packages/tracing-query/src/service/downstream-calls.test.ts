import { expect, test } from "vitest";
import { DownstreamCalls } from "./downstream-calls.ts";
import type { ShownSpan } from "./shown-spans.ts";

const span = (
  spanId: string,
  parentSpanId: string,
  name: string,
  spanKind: ShownSpan["spanKind"] = "internal",
): ShownSpan => {
  const [service = "", operation = ""] = name.split("/");
  return {
    ...{ spanId, parentSpanId, service, operation, spanKind },
    ...{ startTimeUnixNano: 0n, durationNano: 5n, hasError: operation === "charge" },
  };
};

/** shop calls pay by a client span, a database, and does some work that calls cart; pay calls a bank. */
const spans = [
  span("1", "", "shop/GET", "server"),
  span("2", "1", "shop/to pay", "client"),
  span("3", "2", "pay/charge", "server"),
  span("4", "3", "bank/debit", "server"),
  span("5", "1", "shop/SELECT", "client"),
  span("6", "1", "shop/work"),
  span("7", "6", "cart/read", "server"),
  span("8", "7", "cart/GET key", "client"),
  // A span that is its own parent, as in damaged data.
  span("9", "9", "shop/loop"),
];

test.each([
  [{ service: "shop" }, ["cart/read 1", "pay/charge 1", "shop/SELECT 1"]],
  [{ service: "shop", operation: "GET" }, ["cart/read 1", "pay/charge 1", "shop/SELECT 1"]],
  [{ service: "shop", operation: "work" }, ["cart/read 1"]],
  [{}, ["bank/debit 1", "cart/GET key 1", "cart/read 1", "pay/charge 1", "shop/SELECT 1"]],
  [{ service: "nobody" }, []],
])("calls of %j", (callers, expected) => {
  const calls = new DownstreamCalls(callers);
  calls.add(spans);
  const found = [...calls.sums.values()].map((one) => `${one.service}/${one.operation} ${one.calls}`);
  expect(found.toSorted()).toEqual(expected);
  calls.add(spans);
  expect(calls.traces).toBe(2);
  expect([...calls.sums.values()].every(({ calls: count }) => count === 2)).toBe(true);
});

test("200,000 calls of one span are counted", () => {
  const calls = new DownstreamCalls({ service: "shop", operation: "GET" });
  const many = Array.from({ length: 200_000 }, (_, index) => span(`c${index}`, "2", "pay/charge", "server"));
  calls.add([span("1", "", "shop/GET"), span("2", "1", "shop/work"), ...many]);
  expect([...calls.sums.values()].map((sums) => sums.calls)).toEqual([200_000]);
});

test("sums have errors and times", () => {
  const calls = new DownstreamCalls({ service: "shop" });
  calls.add(spans);
  const charge = [...calls.sums.values()].find(({ operation }) => operation === "charge");
  expect(charge).toMatchObject({ spanKind: "server", calls: 1, errors: 1, durationNano: 5 });
});
