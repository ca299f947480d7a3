import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { fileLimitWarning } from "./file-limit.ts";

test.each([
  ["unlimited", undefined],
  [1_048_576, undefined],
  [256, "a process may open 256 files here"],
])("a limit of %s open files", (soft, begin) => {
  const warning = fileLimitWarning({ userLimits: { open_files: { soft, hard: soft } } });
  expect(warning?.slice(0, begin?.length)).toBe(begin);
});

test("where no limit is known there is no warning", () => {
  expect(fileLimitWarning({ header: {} })).toBeUndefined();
});

test.skipIf(process.platform === "win32")("Node reports the limit that a shell has set", () => {
  const script =
    "process.report.excludeNetwork = true; console.log(JSON.stringify(process.report.getReport()))";
  const { stdout } = spawnSync("sh", ["-c", 'ulimit -n 300; exec "$0" -e "$1"', process.execPath, script], {
    encoding: "utf8",
  });
  expect(fileLimitWarning(JSON.parse(stdout))).toContain("300");
});
