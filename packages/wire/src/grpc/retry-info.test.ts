import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { randomOf } from "../rows/damaged-message.ts";
import { retryDelayMs } from "./retry-info.ts";
import { statusDetails } from "./status-details.ts";

test.each([
  ["seconds and nanoseconds", statusDetails({ seconds: 2, nanos: 500_000_000 }), 2500],
  ["nanoseconds only", statusDetails({ seconds: 0, nanos: 30_000_000 }), 30],
  ["a negative delay", statusDetails({ seconds: -3, nanos: 0 }), 0],
  ["a RetryInfo without delay", statusDetails(undefined), 0],
  [
    "another detail",
    new BinaryWriter().uint32(26).fork().uint32(10).string("x/y.Z").join().finish(),
    undefined,
  ],
  ["no bytes", new Uint8Array(), undefined],
  ["bytes cut short", statusDetails({ seconds: 2, nanos: 1 }).subarray(0, -1), undefined],
])("reads the delay from %s", (_name, details, expected) => {
  expect(retryDelayMs(details)).toBe(expected);
});

test("takes any bytes without an error", () => {
  const random = randomOf(5);
  for (let round = 0; round < 2000; round++) {
    const details = Uint8Array.from({ length: random(60) }, () => random(256));
    const delay = retryDelayMs(details);
    expect(delay === undefined || delay >= 0).toBe(true);
  }
});
