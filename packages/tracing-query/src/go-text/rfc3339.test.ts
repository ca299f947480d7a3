import { describe, expect, test } from "vitest";
import { parseTimeNano } from "./rfc3339.ts";

describe("parseTimeNano", () => {
  test.each([
    ["1970-01-01T00:00:00Z", 0n],
    ["2020-01-01T00:00:00.123456789Z", 1_577_836_800_123_456_789n],
    ["2020-01-01T02:30:00+02:30", 1_577_836_800_000_000_000n],
    ["2019-12-31T19:00:00-05:00", 1_577_836_800_000_000_000n],
    ["2020-02-29T00:00:00,5Z", 1_582_934_400_500_000_000n],
    ["1969-12-31T23:59:59.5Z", -500_000_000n],
    // Go takes these offsets.
    ["2020-01-02T00:00:00+24:00", 1_577_836_800_000_000_000n],
    ["9999-12-31T23:59:59Z", 2n ** 63n - 1n],
  ])("%s", (text, nano) => {
    expect(parseTimeNano(text)).toBe(nano);
  });

  test.each([
    ["2020-13-01T00:00:00Z", "month"],
    ["2020-01-01T24:00:00Z", "hour"],
    ["2020-01-01T00:60:00Z", "minute"],
    ["2020-01-01T00:00:60Z", "second"],
    ["2020-01-01T00:00:00+25:00", "time zone offset hour"],
    ["2020-01-01T00:00:00-01:61", "time zone offset minute"],
    ["2020-02-30T00:00:00Z", "day"],
    ["2019-02-29T00:00:00Z", "day"],
  ])("%s: %s out of range", (text, what) => {
    expect(() => parseTimeNano(text)).toThrow(`parsing time "${text}": ${what} out of range`);
  });
});
