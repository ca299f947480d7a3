import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The rules for axe: WCAG 2.2 A and AA, and best practice. */
const everything = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that depend on the theme. */
const colours = ["color-contrast", "link-in-text-block"];

let program: Promise<string> | undefined;

/**
 * Violations of WCAG 2.2 A and AA, and of best practice, that axe finds on the page, each with its elements. Axe is
 * injected through the debugger: the pages' content security policy forbids added scripts.
 * @param of `colours` for a page that was already fully checked, and only changes its theme
 */
export async function violationsOn(
  page: Page,
  of: "everything" | "colours" = "everything",
): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) {
    program ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(await program);
  }
  const options: RunOptions = {
    runOnly: of === "colours" ? { type: "rule", values: colours } : { type: "tag", values: everything },
    // Users of voice control say the visible label. The rule is experimental, so no tag includes it.
    ...(of === "everything" ? { rules: { "label-content-name-mismatch": { enabled: true } } } : {}),
    resultTypes: ["violations"],
    // The pages play no media, and none of these rules reads style sheets.
    preload: false,
  };
  const results = await page.evaluate(async (run) => {
    const { axe } = window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    return axe.run(run);
  }, options);
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("; ")}`,
  );
}
