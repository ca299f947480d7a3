import { expect, test } from "vitest";
import { searchParameters } from "./queries.ts";

test("a look back ends now", () => {
  const parameters = searchParameters(
    { service: "a b", limit: 20, range: { lookbackUs: 3_600e6 } },
    1_795_227_853_859,
  );
  expect(Object.fromEntries(parameters)).toEqual({
    service: "a b",
    limit: "20",
    start: "1795224253859000",
    end: "1795227853859000",
  });
});

test("a look back ends before now when the configuration says so", () => {
  const { start, end } = Object.fromEntries(
    searchParameters(
      { service: "s", limit: 20, range: { lookbackUs: 3_600e6, agoUs: 60e6 } },
      1_795_227_853_859,
    ),
  );
  expect([start, end]).toEqual(["1795224193859000", "1795227793859000"]);
});

test("every field reaches the service in its own form", () => {
  const parameters = searchParameters(
    {
      service: "s",
      operation: "GET /",
      tags: { error: "true" },
      minDuration: "1.5s",
      maxDuration: "2h",
      limit: 5,
      range: { startUs: 1, endUs: 2 },
    },
    0,
  );
  expect(Object.fromEntries(parameters)).toEqual({
    service: "s",
    operation: "GET /",
    tags: '{"error":"true"}',
    minDuration: "1.5s",
    maxDuration: "2h",
    limit: "5",
    start: "1",
    end: "2",
  });
});
