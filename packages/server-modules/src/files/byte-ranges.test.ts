import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRanges } from "./byte-ranges.ts";

test.each([
  ["", "whole"],
  ["bytes=0-4", [{ start: 0, end: 4 }]],
  ["bytes=2-", [{ start: 2, end: 9 }]],
  ["bytes=-3", [{ start: 7, end: 9 }]],
  ["bytes=-30", [{ start: 0, end: 9 }]],
  ["bytes=0-99", [{ start: 0, end: 9 }]],
  [
    "Bytes = 1-1 , 3-4",
    [
      { start: 1, end: 1 },
      { start: 3, end: 4 },
    ],
  ],
  ["bytes=20-30,0-0", [{ start: 0, end: 0 }]],
  ["bytes=20-30", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=4-2", "malformed"],
  ["bytes=-", "malformed"],
  ["bytes=a-b", "malformed"],
  ["bytes=0-1-2", "malformed"],
  ["bytes=0-9,0-9", "whole"],
  ["lines=0-4", "whole"],
  ["bytes=", "whole"],
  ["bytes=,", "whole"],
  [`bytes=${"0-0,".repeat(2000)}`, "whole"],
])("%.40s of ten bytes", (header, expected) => {
  expect(parseRanges(header, 10)).toEqual(expected);
});

test("an empty body has no ranges", () => {
  expect(parseRanges("bytes=0-4", 0)).toBe("whole");
});

test("whatever is sent, ranges lie inside", () => {
  const number = fc.oneof(fc.constant(""), fc.nat().map(String), fc.constant("x"));
  const part = fc.tuple(number, number).map(([a, b]) => `${a}-${b}`);
  fc.assert(
    fc.property(fc.array(part), fc.nat(1000), (parts, size) => {
      const found = parseRanges(`bytes=${parts.join(",")}`, size);
      if (typeof found !== "string") {
        expect(found.every(({ start, end }) => 0 <= start && start <= end && end < size)).toBe(true);
      }
    }),
  );
});
