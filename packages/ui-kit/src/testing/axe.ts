import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/**
 * Violations of WCAG 2.2 A and AA, and of best practice, that axe finds on the page, each with its elements. Axe comes by
 * the debugger: the pages' content security policy forbids added scripts.
 */
export async function violationsOn(page: Page): Promise<string[]> {
  const file = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(file, "utf8"));
  const results = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    return axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] });
  });
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("; ")}`,
  );
}
