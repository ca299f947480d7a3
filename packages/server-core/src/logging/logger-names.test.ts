import { expect, test } from "vitest";
import { takesLogger } from "./logger-names.ts";

test.each([
  ["http.log.access", [], [], true],
  ["http.log.access", ["http.log"], [], true],
  ["http.log.access", ["http.log.access.a"], [], false],
  ["http.logs", ["http.log"], [], false],
  ["http.log.access", [], ["http.log.access"], false],
  ["http.log.access.a", ["http.log.access.a"], ["http.log.access"], true],
  ["http.log.access.a", ["http.log"], ["http.log.access"], false],
  ["tls", [], ["*"], false],
])("%s with %j without %j: %s", (name, include, exclude, expected) => {
  expect(takesLogger(name, include, exclude)).toBe(expected);
});
