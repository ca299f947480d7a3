import { expect, test } from "vitest";
import { ApiError, type ApiErrorCode } from "../../api/api-error.ts";
import { failureWords } from "./failure-words.ts";

test.each<[ApiErrorCode, number | undefined, RegExp]>([
  ["API_FAILED", 501, /--query\.views-dir/],
  ["API_FAILED", 503, /said: the disk is full\.$/],
  ["API_REFUSED", 413, /said: the disk is full\.$/],
  ["API_FORBIDDEN", 403, /may not/],
  ["API_NOT_FOUND", 404, /no saved views/],
  ["API_UNREACHABLE", undefined, /does not answer/],
])("%s with %s is told in words", (code, status, words) => {
  const error = new ApiError(code, "the disk is full", status === undefined ? {} : { status });
  expect(failureWords(error)).toMatch(words);
});

test("an error of the page is not blamed on the server", () => {
  expect(failureWords(new TypeError("x is undefined"))).toBe(
    "Something in this page went wrong: TypeError: x is undefined.",
  );
});
