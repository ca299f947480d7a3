import { expect, test } from "vitest";
import { matchersInOrder } from "./matcher-order.ts";

const capture = "{http.regexp.I.1}";

test.each([
  [{ file: { try_files: [`/icons/${capture}`] }, path_regexp: {} }, ["path_regexp", "file"]],
  [{ header: { A: [capture] }, header_regexp: {}, method: ["GET"] }, ["header_regexp", "header", "method"]],
  [{ header_regexp: { A: { pattern: capture } }, path_regexp: {} }, ["path_regexp", "header_regexp"]],
  [{ vars_regexp: { [capture]: {} }, header_regexp: {} }, ["header_regexp", "vars_regexp"]],
  [{ file: { try_files: ["/a"] }, path_regexp: {} }, ["file", "path_regexp"]],
  [{ file: { try_files: [capture] }, path: ["/a"] }, ["file", "path"]],
  [{}, []],
])("matchers that capture come before those that name captures: %j", (set, expected) => {
  expect(matchersInOrder(set)).toEqual(expected);
});
