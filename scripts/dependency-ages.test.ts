import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  abandonedFindings,
  listedDependencies,
  runtimeDependencies,
  undatedDependencies,
} from "./dependency-ages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(`${root}docs/dependencies.md`, "utf8");

test("docs/dependencies.md lists every runtime dependency, and none that is gone", () => {
  expect([...listedDependencies(page).keys()].sort()).toEqual(runtimeDependencies(root));
});

test("a dependency without a release for two years needs a reason", () => {
  const listed = listedDependencies("| `old`, `kept` | why |  |\n| `reasoned` | why | it is finished |\n");
  expect([...listed]).toEqual([
    ["old", ""],
    ["kept", ""],
    ["reasoned", "it is finished"],
  ]);
  const now = Date.parse("2026-11-27");
  const releases = {
    old: "2024-11-26T00:00:00Z",
    reasoned: "2019-01-01T00:00:00Z",
    kept: "2024-11-29T00:00:00Z",
    unknown: undefined,
  };
  expect(abandonedFindings(releases, listed, now)).toEqual([
    "old: no release since 2024-11-26, and docs/dependencies.md gives no reason to keep it",
  ]);
  expect(undatedDependencies(releases)).toEqual(["unknown"]);
});
