import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { testedProgram } from "lifecycle/testing";
import { expect, test } from "vitest";
import { requireOpenFiles } from "./open-file-limit.ts";

const program = testedProgram(join(import.meta.dirname, "../../bin/tracing-storage.ts"));

test.each([["unlimited"], [1_048_576], [512]])("a limit of %s open files is enough", (soft) => {
  expect(() => requireOpenFiles({ userLimits: { open_files: { soft, hard: soft } } })).not.toThrow();
});

test("where no limit is known there is no refusal", () => {
  expect(() => requireOpenFiles({ header: {} })).not.toThrow();
});

test.skipIf(process.platform === "win32")(
  "a store that may open 256 files says so and ends",
  () => {
    const start = 'ulimit -n 256; exec "$0" "$1" --storage.data-dir "$2"';
    const folder = join(import.meta.dirname, "never-made");
    const { status, stdout, stderr } = spawnSync("sh", ["-c", start, process.execPath, program, folder], {
      encoding: "utf8",
    });
    expect(`${stdout}${stderr}`).toContain("a process may open only 256 files here");
    expect(status).toBe(1);
  },
  60_000,
);
