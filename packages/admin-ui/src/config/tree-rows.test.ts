import { expect, test } from "vitest";
import { findInTree, maxRows, preview, treeRows } from "./tree-rows.ts";

const document = {
  apps: { http: { servers: { s: { listen: [":80", ":81"], routes: [{ handle: [{ handler: "vars" }] }] } } } },
};

test("only what is open has lines below it", () => {
  const rows = treeRows(document, (pointer) => pointer === "" || pointer === "/apps");
  expect(rows.map(({ pointer, level, size, expanded }) => [pointer, level, size, expanded])).toEqual([
    ["", 1, 1, true],
    ["/apps", 2, 1, true],
    ["/apps/http", 3, 1, false],
  ]);
});

test("an empty object does not open; lines are bounded", () => {
  expect(treeRows({ a: {} }, () => true)).toHaveLength(2);
  expect(
    treeRows(
      Array.from({ length: maxRows * 2 }, () => 1),
      () => true,
    ),
  ).toHaveLength(maxRows);
});

test("names and values are found, with all that holds them", () => {
  const { found, holders } = findInTree(document, "VARS");
  expect([...found]).toEqual(["/apps/http/servers/s/routes/0/handle/0/handler"]);
  expect(holders.has("/apps/http/servers/s/routes")).toBe(true);
  expect(holders.has("")).toBe(true);
  expect(findInTree(document, "nothing like it").holders.size).toBe(0);
});

test.each([
  [[":80", ":81"], ":80, :81"],
  [[{}], ""],
  [{ handler: "vars" }, "vars"],
  [{ match: [{ host: ["a.example"], path: ["/x"] }, { method: ["GET"] }] }, "a.example /x or GET"],
  [{ "@id": "r", handler: "vars" }, "r"],
  ["text", "text"],
  [null, "null"],
])("%j in few words: %s", (value, text) => {
  expect(preview(value)).toBe(text);
});
