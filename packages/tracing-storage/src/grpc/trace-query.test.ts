import { expect, test } from "vitest";
import { traceQueryOf } from "./trace-query.ts";

const nothing = {
  serviceName: "shop",
  operationName: "",
  tags: {},
  startTimeMin: undefined,
  startTimeMax: undefined,
  durationMin: undefined,
  durationMax: undefined,
  numTraces: 0,
};

test("takes absent times, and Go's zero time, as no bounds, and no number as 100", () => {
  const zero = { seconds: -62_135_596_800n, nanos: 0 };
  for (const times of [{}, { startTimeMin: zero, startTimeMax: zero }]) {
    expect(traceQueryOf({ ...nothing, ...times })).toEqual({
      service: "shop",
      operation: "",
      tags: new Map(),
      durationMinNano: 0n,
      durationMaxNano: 0n,
      limit: 100,
    });
  }
});

test("takes times to the nanosecond, and never wraps them around", () => {
  const query = traceQueryOf({
    ...nothing,
    tags: { a: "b" },
    startTimeMin: { seconds: -2n, nanos: 999_999_999 },
    startTimeMax: { seconds: 253_402_300_799n, nanos: 5 },
    durationMin: { seconds: 1n, nanos: 2 },
    durationMax: { seconds: 3n, nanos: 0 },
    numTraces: 7,
  });
  expect(query).toEqual({
    service: "shop",
    operation: "",
    tags: new Map([["a", "b"]]),
    startTimeMinUnixNano: -1_000_000_001n,
    startTimeMaxUnixNano: 253_402_300_799_000_000_005n,
    durationMinNano: 1_000_000_002n,
    durationMaxNano: 3_000_000_000n,
    limit: 7,
  });
});
