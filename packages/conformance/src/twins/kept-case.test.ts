import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawSite } from "./draw-case.ts";
import { keepCase, readCases } from "./kept-case.ts";

test("a case that is kept is the same when it is read", () => {
  const folder = mkdtempSync(join(tmpdir(), "kept-case-"));
  try {
    for (let index = 0; index < 20; index++) {
      const drawn = drawSite(1, index);
      const twinCase = { site: drawn.text, steps: drawn.steps(drawn.text, 20) };
      const difference = {
        exchange: 0,
        request: "GET /",
        path: "answer 0 body",
        theirs: "a",
        ours: undefined,
      };
      const file = keepCase(folder, {
        signature: "answer N body",
        difference,
        twinCase,
      });
      expect(readCases(file)).toEqual([{ file, found: "answer 0 body of GET /", twinCase }]);
    }
    expect(readCases(folder)).toHaveLength(20);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
