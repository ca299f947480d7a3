import { expect, test } from "vitest";
import { KeyTable } from "./key-table.ts";
import { specialTagKeys, specialTags, specialTagTable } from "./special-tags.ts";

function find(table: KeyTable, key: string): number {
  const bytes = Buffer.from(`>${key}<`);
  return table.find(bytes, 1, bytes.length - 1);
}

test("finds names by number and nothing else", () => {
  const table = new KeyTable(["id", "traceId", "ä"]);
  expect(["id", "traceId", "ä", "ID", "traceid", "i", "ids", ""].map((key) => find(table, key))).toEqual([
    0, 1, 2, -1, -1, -1, -1, -1,
  ]);
});

test("ignores the case of ASCII letters where wanted", () => {
  const table = new KeyTable(["traceId", "ipv4", "[x]"], { ignoreCase: true });
  expect(["TRACEID", "traceid", "IPV4", "ipv\u0014", "{x}"].map((key) => find(table, key))).toEqual([
    0, 0, 1, -1, -1,
  ]);
});

test("knows every special tag", () => {
  expect(specialTagKeys.map((key) => find(specialTagTable, key))).toEqual(
    Object.values(specialTags).slice(0, specialTagKeys.length),
  );
  expect(find(specialTagTable, "k8s.pod.name")).toBeGreaterThanOrEqual(specialTags.resource);
  expect(find(specialTagTable, "http.method")).toBe(-1);
});
