import { expect, test } from "vitest";
import { readParams, readRecords, recordType, writeRecord } from "./fastcgi-records.ts";

test("records come out whole, and the rest waits", () => {
  const bytes = Buffer.concat([
    writeRecord(recordType.stdin, 1, "abc"),
    writeRecord(recordType.stdin, 1, ""),
  ]);
  const { records, rest } = readRecords(bytes.subarray(0, bytes.length - 2));
  expect(records.map(({ type, id, content }) => [type, id, content.toString()])).toEqual([[5, 1, "abc"]]);
  expect(readRecords(Buffer.concat([rest, bytes.subarray(-2)])).records).toHaveLength(1);
});

test("short and long parameters are read", () => {
  const long = "v".repeat(300);
  const head = Buffer.from([1, 1]);
  const longHead = Buffer.from([1, 0x80, 0, 1, 44]);
  const bytes = Buffer.concat([head, Buffer.from("ab"), longHead, Buffer.from(`c${long}`)]);
  expect(readParams(bytes)).toEqual([
    ["a", "b"],
    ["c", long],
  ]);
});
