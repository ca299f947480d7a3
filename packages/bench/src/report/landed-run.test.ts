import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { LandedRuns, renderBesideLanded } from "./landed-run.ts";
import { printReport } from "./print-report.ts";
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
    expect(runs.line("live", "a")).toContain("--keep");
    runs.keep("live", "a", 1.5, [column(2)]);
    expect(renderTable([column(3)], runs.ratios("live", "a", [column(3)]))).toMatch(/p50 +3\.0 +1\.5$/m);
    expect(runs.line("live", "a")).toContain("load average 1.5 then");
    expect(runs.ratios("live", "b", [column(3)])).toEqual([]);
    expect(runs.line("live", "b")).toContain('its options were "a", these are "b"');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a run is kept with --json too, which has the ratios on standard error", () => {
  const folder = mkdtempSync(join(tmpdir(), "landed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runs = new LandedRuns(pathToFileURL(`${folder}/`));
  const print = (value: number, keep: boolean) => {
    const written = { output: "", errors: "" };
    const sink = (name: keyof typeof written) => ({
      write(text: string | Uint8Array) {
        written[name] += String(text);
        return true;
      },
    });
    const table = { command: "live", options: "a", ours: 1, keep };
    const text = renderBesideLanded(table, [column(value)], [], runs);
    printReport({ text, json: { p50: value } }, true, sink("output"), sink("errors"));
    return written;
  };
  expect(print(2, true).errors).toContain("no run is kept");
  const { output, errors } = print(3, false);
  expect(JSON.parse(output)).toEqual({ p50: 3 });
  expect(errors).toMatch(/p50 +3\.0 +1\.5$/m);
});
