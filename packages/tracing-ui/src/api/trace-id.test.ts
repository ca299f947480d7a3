import { expect, test } from "vitest";
import { checkTraceId } from "./trace-id.ts";

test.each(["1", "DEAD", "71a81d73ce7902db83be4d12250bd874"])("%s is an id", (text) => {
  expect(() => checkTraceId(text)).not.toThrow();
});

test.each(["", "zz", "0x1", "+1", " 1", "1_0", "a".repeat(33)])("%j is none", (text) => {
  expect(() => checkTraceId(text)).toThrow("is no trace id");
});

test("a long text is cut in the message", () => {
  expect(() => checkTraceId("z".repeat(5_000))).toThrow(/^“z{100}…” is no trace id$/);
});
