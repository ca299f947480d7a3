import { expect, test } from "vitest";
import { reasonPhrase, statusText } from "./response-start.ts";

test.each([
  [200, "OK"],
  [306, "status code 306"],
  [413, "Request Entity Too Large"],
  [418, "I'm a teapot"],
  [422, "Unprocessable Entity"],
  [509, "status code 509"],
  [799, "status code 799"],
])("%i: %s", (status, expected) => {
  expect(reasonPhrase(status)).toBe(expected);
});

test("a status without a text has none", () => {
  expect(statusText(799)).toBe("");
});
