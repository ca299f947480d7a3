import { expect, test } from "vitest";
import { searchAddress } from "../../searches/search-address.ts";
import { searchOf } from "./search-of.ts";

const of = (fields: Record<string, string>) => searchOf(searchAddress.parse(fields));

test("a filled form is a search", () => {
  expect(
    of({ service: "s", tags: "error=true", minDuration: " 5ms ", lookback: "15m", limit: "50" }),
  ).toEqual({
    errors: {},
    search: {
      service: "s",
      operation: undefined,
      tags: { error: "true" },
      minDuration: "5ms",
      maxDuration: undefined,
      limit: 50,
      range: { lookbackUs: 900e6 },
    },
  });
});

test("without a service nothing is searched, and nothing is wrong", () => {
  expect(of({})).toEqual({ search: undefined, errors: {} });
});

test("a custom range has a start and a later end", () => {
  const range = { lookback: "custom", start: "10", end: "20" };
  expect(of({ service: "s", ...range }).search?.range).toEqual({ startUs: 10, endUs: 20 });
  expect(of({ service: "s", ...range, end: "10" }).errors).toEqual({ range: "Give a start and a later end" });
  expect(of({ service: "s", lookback: "custom" }).search).toBeUndefined();
});

test.each([
  [{ minDuration: "5" }, { minDuration: "Add a unit: 5ms or 5s" }],
  [{ maxDuration: "long" }, { maxDuration: "Write 300ms, 1.5s or 2h45m" }],
  [{ minDuration: "2s", maxDuration: "1s" }, { maxDuration: "Shorter than 2s" }],
  [{ tags: "error" }, { tags: "error is not a tag. Write error=value, with quotes around spaces" }],
])("%j is said to be wrong", (fields, errors) => {
  expect(of({ service: "s", ...fields })).toEqual({ search: undefined, errors });
});
