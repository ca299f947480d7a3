import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addTally, noCounts, type SiteTally } from "./twin-counts.ts";
import { TwinResults } from "./twin-results.ts";

const tally = (seed: number, site: number): SiteTally => ({
  seed,
  site,
  isRefused: false,
  exchanges: 40,
  requests: 45,
  known: { meant: 2 },
  unknown: site === 1 ? { "answer N status: 200 / 500": 3 } : {},
  unstable: {},
  load: 8 + site,
});

test("a file of results tells what is done, and a line that was cut is left out", () => {
  const folder = mkdtempSync(join(tmpdir(), "twin-results-"));
  try {
    const file = join(folder, "results.jsonl");
    const results = new TwinResults(file);
    expect(results.read()).toEqual([]);
    for (const each of [tally(1, 0), tally(1, 1), tally(2, 0)]) {
      results.add(each);
    }
    appendFileSync(file, '{"seed":1,"si');
    expect(results.read()).toEqual([tally(1, 0), tally(1, 1), tally(2, 0)]);
    const counts = noCounts();
    for (const each of results.read()) {
      addTally(counts, each);
    }
    expect(counts).toMatchObject({ sites: 3, requests: 135, busy: { sites: 1, requests: 45 } });
    expect(counts.known.get("meant")).toBe(6);
    expect(counts.unknown.get("answer N status: 200 / 500")).toBe(3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
