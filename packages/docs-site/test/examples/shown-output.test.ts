import { expect, test } from "vitest";
import { differenceOf } from "./shown-output.ts";

test.each([
  ["the same", "a\nb", "a\nb\n", false],
  ["broken into lines", '{"a":1,\n "b":2}', '{"a":1,"b":2}', false],
  [
    "heads that pages leave out",
    "HTTP/1.1 200 OK\n\nx",
    "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: keep-alive\r\n\r\nx",
    false,
  ],
  ["times", '{"at":"2026-11-21T15:59:21.047Z"}', '{"at":"2027-01-01T00:00:00Z"}', false],
  ["something left out", "a … c …", "a b c d", false],
  ["other figures", "rows 12, trace 00f067aa0ba902b7", "rows 3.5, trace aaaaaaaaaaaaaaaa", true],
  ["other values", '{"a":"x","b":[{"c":1}]}', '{"b":[{"c":5,"d":6}],"a":"y"}', true],
])("%s", (_name, shown, printed, varies) => {
  expect(differenceOf(shown, printed, varies)).toBeUndefined();
});

test.each([
  ["another text", "a", "b", false],
  ["more than is shown", "a", "a b", false],
  ["less than is shown", "a b", "a", false],
  ["another end", "a … c", "a b d", false],
  ["other figures", "rows 12", "rows 13", false],
  ["another word", "rows 12", "parts 12", true],
  ["a member that is not there", '{"a":1,"b":2}', '{"a":1}', true],
])("%s is seen", (_name, shown, printed, varies) => {
  expect(differenceOf(shown, printed, varies)).toContain(shown);
});
