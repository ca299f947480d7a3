import { describe, expect, test } from "vitest";
import { parseTraceId, traceIdText } from "./id-texts.ts";

describe("traceIdText", () => {
  test.each([
    ["0000000000000000000000000000abcd", "000000000000abcd"],
    ["00000000000000000000000000000000", "0000000000000000"],
    ["00000000000000010000000000000002", "00000000000000010000000000000002"],
  ])("%s is printed as %s", (id, text) => {
    expect(traceIdText(id)).toBe(text);
  });
});

describe("parseTraceId", () => {
  test.each([
    ["1", "00000000000000000000000000000001"],
    ["ABCDEF0123456789", "0000000000000000abcdef0123456789"],
    ["10000000000000002", "00000000000000010000000000000002"],
    ["0af7651916cd43dd8448eb211c80319c", "0af7651916cd43dd8448eb211c80319c"],
  ])("%s is %s", (text, id) => {
    expect(parseTraceId(text)).toBe(id);
  });

  test.each([
    ["", 'strconv.ParseUint: parsing "": invalid syntax'],
    ["zz", 'strconv.ParseUint: parsing "zz": invalid syntax'],
    ["+1", 'strconv.ParseUint: parsing "+1": invalid syntax'],
    ["-1", 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ["0x1", 'strconv.ParseUint: parsing "0x1": invalid syntax'],
    ["1_0", 'strconv.ParseUint: parsing "1_0": invalid syntax'],
    [" 1", 'strconv.ParseUint: parsing " 1": invalid syntax'],
    ["g0000000000000002", 'strconv.ParseUint: parsing "g": invalid syntax'],
    ["1000000000000000g", 'strconv.ParseUint: parsing "000000000000000g": invalid syntax'],
    [
      "000000000000000000000000000000001",
      "TraceID cannot be longer than 32 hex characters: 000000000000000000000000000000001",
    ],
  ])("refuses %j", (text, message) => {
    expect(() => parseTraceId(text)).toThrow(expect.objectContaining({ code: "WIRE_BAD_ID", message }));
  });
});
