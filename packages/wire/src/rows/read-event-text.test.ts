import { describe, expect, test } from "vitest";
import { readEventText } from "./read-event-text.ts";
import { SpanRowReader } from "./span-row-reader.ts";

/** Reads a column with this text, one character for each byte, followed by one more byte. */
function read(text: string) {
  const reader = new SpanRowReader(Buffer.from(`${String.fromCharCode(text.length)}${text}\xfd`, "latin1"));
  const events = readEventText(reader);
  expect(reader.position).toBe(text.length + 1);
  return events;
}

describe("readEventText", () => {
  test("gives events in their order, with and without attributes", () => {
    expect(read("")).toEqual([]);
    expect(read("\xfd-12\xfcretry\xffa\xfesb\xff\xfc3\xfd9223372036854775807\xfc")).toEqual([
      {
        timeUnixNano: -12n,
        name: "retry",
        attributes: [{ key: "a", value: { type: "string", value: "b" } }],
        droppedAttributesCount: 3,
      },
      { timeUnixNano: 9223372036854775807n, name: "", attributes: [], droppedAttributesCount: 0 },
    ]);
  });

  test.each([
    ["without a mark", "1\xfcname"],
    ["without an end of the time", "\xfd1"],
    ["without a time", "\xfd\xfcname"],
    ["with a sign alone", "\xfd-\xfcname"],
    ["with a time of 65 bits", "\xfd9223372036854775808\xfcname"],
    ["with a time that is long", `\xfd${"0".repeat(21)}\xfcname`],
    ["with letters in its time", "\xfd1a\xfcname"],
    ["without the count that a mark promises", "\xfd1\xfcname\xfc"],
    ["with letters behind the count", "\xfd1\xfcname\xfc1a"],
    ["with a count of nothing", "\xfd1\xfcname\xfc0"],
    ["with a count below zero", "\xfd1\xfcname\xfc-1"],
    ["with a count of 33 bits", "\xfd1\xfcname\xfc4294967296"],
    ["with a list without an end", "\xfd1\xfcname\xffa\xfesb"],
    ["with half a list", "\xfd1\xfcname\xff"],
    ["with an attribute of no type", "\xfd1\xfcname\xffa\xfe?b\xff"],
  ])("refuses an event %s", (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ name: "WireError", code: "WIRE_MALFORMED" }));
  });
});
