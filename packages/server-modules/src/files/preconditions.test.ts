import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { checkPreconditions, parseHttpDate, rangeAllowed } from "./preconditions.ts";

const time = Date.parse("2026-01-02T03:04:05.678Z");
const same = "Fri, 02 Jan 2026 03:04:05 GMT";
const before = "Fri, 02 Jan 2026 03:04:04 GMT";
const validators = { etag: '"a"', modifiedMs: time };

test.each([
  [[], "go on"],
  [["If-None-Match", '"a"'], "not modified"],
  [["If-None-Match", 'W/"a"'], "not modified"],
  [["If-None-Match", '"x", "a"'], "not modified"],
  [["If-None-Match", "*"], "not modified"],
  [["If-None-Match", "*", "If-None-Match", "*"], "not modified"],
  [["If-None-Match", "*", "If-None-Match", '"b"'], "not modified"],
  [["If-None-Match", '"b,*,c"'], "go on"],
  [["If-None-Match", '"b"'], "go on"],
  [["If-None-Match", '"b"', "If-None-Match", '"a"'], "not modified"],
  [["If-None-Match", '"b"', "If-Modified-Since", same], "go on"],
  [["If-None-Match", "a"], "go on"],
  [["If-Modified-Since", same], "not modified"],
  [["If-Modified-Since", before], "go on"],
  [["If-Modified-Since", "yesterday"], "go on"],
  [["If-Match", '"a"'], "go on"],
  [["If-Match", "*"], "go on"],
  [["If-Match", 'W/"a"'], "failed"],
  [["If-Match", '"b"'], "failed"],
  [["If-Match", '"a"', "If-None-Match", '"a"'], "not modified"],
  [["If-Unmodified-Since", same], "go on"],
  [["If-Unmodified-Since", before], "failed"],
])("%j: %s", (headers, expected) => {
  expect(checkPreconditions(makeExchange({ headers }), validators)).toBe(expected);
});

test("an unsafe method fails instead of 304", () => {
  const exchange = makeExchange({ method: "PUT", headers: ["If-None-Match", '"a"'] });
  expect(checkPreconditions(exchange, validators)).toBe("failed");
});

test("without validators nothing matches but the star", () => {
  const none = { etag: "", modifiedMs: undefined };
  const check = (...headers: string[]) => checkPreconditions(makeExchange({ headers }), none);
  expect(check("If-None-Match", '""')).toBe("go on");
  expect(check("If-Modified-Since", same)).toBe("go on");
  expect(check("If-Unmodified-Since", before)).toBe("go on");
});

test.each([
  [[], true],
  [["If-Range", '"a"'], true],
  [["If-Range", 'W/"a"'], false],
  [["If-Range", '"b"'], false],
  [["If-Range", same], true],
  [["If-Range", before], false],
  [["If-Range", "nonsense"], false],
])("range with %j: %s", (headers, expected) => {
  expect(rangeAllowed(makeExchange({ headers }), validators)).toBe(expected);
});

test.each([
  [same, 1767323045],
  ["Friday, 02-Jan-26 03:04:05 GMT", 1767323045],
  ["2026-01-02", undefined],
  ["", undefined],
])("date %s", (text, expected) => {
  expect(parseHttpDate(text)).toBe(expected);
});
