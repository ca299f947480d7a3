import { expect, test } from "vitest";
import { parseTraceId, traceIdText } from "./trace-id.ts";

test.each([
  ["dead", "0000000000000000000000000000dead", "000000000000dead"],
  ["DEADbeef", "000000000000000000000000deadbeef", "00000000deadbeef"],
  ["1000000000000000f", "0000000000000001000000000000000f", "0000000000000001000000000000000f"],
  [
    "71a81d73ce7902db83be4d12250bd874",
    "71a81d73ce7902db83be4d12250bd874",
    "71a81d73ce7902db83be4d12250bd874",
  ],
])("%s", (text, id, shown) => {
  expect(parseTraceId(text)).toBe(id);
  expect(traceIdText(id)).toBe(shown);
});

test.each([
  ["", 'strconv.ParseUint: parsing "": invalid syntax'],
  ["zz", 'strconv.ParseUint: parsing "zz": invalid syntax'],
  ["z0000000000000000", 'strconv.ParseUint: parsing "z": invalid syntax'],
  ["0000000000000000z", 'strconv.ParseUint: parsing "000000000000000z": invalid syntax'],
  ["a".repeat(33), `TraceID cannot be longer than 32 hex characters: ${"a".repeat(33)}`],
])("refuses %j", (text, message) => {
  expect(() => parseTraceId(text)).toThrow(expect.objectContaining({ code: "QUERY_BAD_PARAMETER", message }));
});
