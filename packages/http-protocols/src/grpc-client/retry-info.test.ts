import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { statusDetails } from "../testing/status-details.ts";
import { retryDelayMs } from "./retry-info.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run …`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);
const timeoutMs = 20_000 + rounds * 2;

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

test(
  "RetryInfo of a damaged status is a delay or none",
  () => {
    const random = randomOf(2026);
    const messages = [statusDetails({ seconds: 2, nanos: 500_000_000 }), statusDetails(undefined)];
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const delay = retryDelayMs(damagedMessage(messages, random));
      if (delay !== undefined) {
        found++;
      }
      expect(delay === undefined || delay >= 0).toBe(true);
    }
    expect(found).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
