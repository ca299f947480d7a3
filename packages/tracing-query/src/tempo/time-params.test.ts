import { expect, test } from "vitest";
import {
  defaultStep,
  metricsRange,
  parsePrometheusDuration,
  secondsRange,
  stepParam,
} from "./time-params.ts";

const second = 1_000_000_000n;
const nowMs = 1_800_000_000_000;
const now = BigInt(nowMs) * 1_000_000n;

test.each([
  ["", { startUnixNano: now - 3_600n * second, endUnixNano: now }],
  ["start=10&end=11", { startUnixNano: 10n * second, endUnixNano: 12n * second - 1n }],
  ["end=11", { startUnixNano: 0n, endUnixNano: 12n * second - 1n }],
])("seconds: %s", (params, range) => {
  expect(secondsRange(new URLSearchParams(params), nowMs)).toEqual(range);
});

test.each([
  ["start=11&end=10", "http parameter start must be before end. received start=11 end=10"],
  ["start=11", "http parameter start must be before end. received start=11 end=0"],
  ["start=x", 'invalid start: strconv.ParseUint: parsing "x": invalid syntax'],
  ["start=-1", 'invalid start: strconv.ParseUint: parsing "-1": invalid syntax'],
  ["start=1&end=4294967296", 'invalid end: strconv.ParseUint: parsing "4294967296": value out of range'],
  ["start=1&end=1e3", 'invalid end: strconv.ParseUint: parsing "1e3": invalid syntax'],
])("seconds: %s is refused", (params, message) => {
  expect(() => secondsRange(new URLSearchParams(params), nowMs)).toThrow(
    expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message }),
  );
});

test.each([
  ["", now - 3_600n * second, now],
  ["since=15m", now - 900n * second, now],
  ["start=1000&end=2000", 1_000n * second, 2_000n * second],
  ["start=1000.5&end=2000.25", 1_000n * second + second / 2n, 2_000n * second + second / 4n],
  [
    "start=1700000000000000001&end=1700000000000000002",
    1_700_000_000_000_000_001n,
    1_700_000_000_000_000_002n,
  ],
  ["start=2026-01-01T00:00:00Z&end=2026-01-01T00:00:01Z", 1_767_225_600n * second, 1_767_225_601n * second],
  ["end=9999999999", now - 3_600n * second, now],
])("metrics: %s", (params, startUnixNano, endUnixNano) => {
  expect(metricsRange(new URLSearchParams(params), nowMs)).toEqual({ startUnixNano, endUnixNano });
});

test.each([
  ["start=2000&end=1000", "end must be greater than start"],
  ["start=1000&end=1000", "end must be greater than start"],
  ["start=9999999999", "end must be greater than start"],
  ["since=1x", `could not parse 'since' parameter: not a valid duration string: "1x"`],
  ["end=x", `could not parse 'end' parameter: strconv.ParseInt: parsing "x": invalid syntax`],
  [
    `start=${"9".repeat(40)}.5`,
    `could not parse 'start' parameter: strconv.ParseFloat: parsing "${"9".repeat(40)}.5": value out of range`,
  ],
])("metrics: %s is refused", (params, message) => {
  expect(() => metricsRange(new URLSearchParams(params), nowMs)).toThrow(
    expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message }),
  );
});

test.each([
  ["step=15s", 15n * second],
  ["step=60", 60n * second],
  ["step=0.5", second / 2n],
  ["", 15n * second],
])("step of an hour: %j", (params, stepNano) => {
  const range = { startUnixNano: 0n, endUnixNano: 3_600n * second + 1n };
  expect(stepParam(new URLSearchParams(params), range)).toBe(
    params === "" ? defaultStep(3_600n * second) : stepNano,
  );
});

test.each([
  ["step=x", 'cannot parse "x" to a valid duration'],
  ["step=-15s", 'cannot parse "-15s": step must be positive'],
  ["step=1e300", 'cannot parse "1e300" to a valid duration. It overflows int64'],
  ["step=1ms", "step of 1ms is too small, minimum step for given range is 327.272727ms"],
  ["step=0", "step of 0s is too small, minimum step for given range is 327.272727ms"],
])("step of an hour: %s is refused", (params, message) => {
  const range = { startUnixNano: 0n, endUnixNano: 3_600n * second };
  expect(() => stepParam(new URLSearchParams(params), range)).toThrow(
    expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message, parameter: "step" }),
  );
});

test.each([
  [10n, 50_000_000n],
  [59n, 200_000_000n],
  [3_600n, 15n * second],
  [86_400n, 300n * second],
  [30n * 86_400n, 3n * 3_600n * second],
])("the default step of %d seconds", (length, stepNano) => {
  expect(defaultStep(length * second)).toBe(stepNano);
});

test.each([
  ["1h30m", 5_400n * second],
  ["1d", 86_400n * second],
  ["500ms", second / 2n],
  ["0", 0n],
])("Prometheus's duration %s", (text, nano) => {
  expect(parsePrometheusDuration(text)).toBe(nano);
});

test.each(["", "1", "-1h", "1m1h", "1.5h", "999999999999y"])("%j is no duration of Prometheus", (text) => {
  expect(() => parsePrometheusDuration(text)).toThrow(
    expect.objectContaining({ code: "QUERY_BAD_PARAMETER" }),
  );
});
