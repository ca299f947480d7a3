import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { LandedRuns } from "./landed-run.ts";
import { type Column, renderTable } from "./table.ts";

const column = (value: number): Column => ({
  title: "ours",
  figures: [{ label: "p50", value, unit: "ms", compared: true }],
});

test("a run stands beside the one that was kept, when both had the same options", () => {
  const folder = mkdtempSync(join(tmpdir(), "landed-"));
  try {
    const runs = new LandedRuns(pathToFileURL(`${folder}/`));
    expect(runs.ratios("live", "a", [column(3)])).toEqual([]);
    expect(runs.line("live", "a")).toBe("");
    runs.keep("live", "a", 1.5, [column(2)]);
    expect(renderTable([column(3)], runs.ratios("live", "a", [column(3)]))).toMatch(/p50 +3\.0 +1\.5$/m);
    expect(runs.line("live", "a")).toContain("load average 1.5 then");
    expect(runs.ratios("live", "b", [column(3)])).toEqual([]);
    expect(runs.line("live", "b")).toContain('its options were "a", these are "b"');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
