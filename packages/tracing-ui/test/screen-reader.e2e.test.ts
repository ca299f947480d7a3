import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { rankedItem } from "./span-rows.ts";

/** The text that Chromium hands to a screen reader, one line for each element. */
async function readOut(page: Page): Promise<string[]> {
  const text = await page.locator("main").ariaSnapshot();
  return text.split("\n").map((line) => line.replace(/^\s*- /, "").replaceAll("'", ""));
}

/** Complains of each pattern that no line matches. */
function expectLines(lines: readonly string[], patterns: readonly RegExp[]): void {
  expect(patterns.filter((pattern) => !lines.some((line) => pattern.test(line)))).toEqual([]);
}

// docs/ui.md says what these pages read out; NVDA and VoiceOver cannot run here.
describeApp("what a screen reader is told", (app) => {
  test("search: the number of traces, and each row with its services and failures", async () => {
    const { page, server } = app;
    await page.goto(`${server.origin}/search?limit=50`);
    await page.locator(".result").first().waitFor();
    await page.getByText(/Latency of spans \d/).waitFor();
    expectLines(await readOut(page), [
      /^heading "Search traces" \[level=1\]$/,
      /^form "Search traces":$/,
      /^combobox "Service"$/,
      /^application "Heat map of [\d,]+ spans, \d+ failed, by start and duration\. Arrows move/,
      /^img "\d+ traces by start and duration, as in the list below"$/,
      /^status: \d+ traces, \d+ with errors$/,
      /^columnheader "Start"( \[sort=descending\])?:$/,
      /^checkbox "Compare frontend POST \/orders"$/,
      /^rowheader "frontend POST \/orders":$/,
      /^cell ".*payment 4 of which 4 failed/,
      /^button "\+1 of 13 services of these traces"$/,
    ]);
    expect(app.complaints).toEqual([]);
  });

  test("trace: its figures, and each span with service, failure, time and place", async () => {
    const { page, server, store } = app;
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    await page.locator(rankedItem).first().waitFor();
    await page
      .getByText(/^redis/)
      .first()
      .waitFor();
    expectLines(await readOut(page), [
      /^heading "frontend POST \/orders" \[level=1\]$/,
      /^navigation "Views of the trace":$/,
      /^button "6 failed, go to the next"$/,
      /^link "9 services, to their statistics":$/,
      /^img "Overview of \d+ spans over \d+ ms"$/,
      /^textbox "Filter spans":$/,
      /^tree "Spans, \d+ rows":$/,
      /^treeitem "frontend: POST \/orders, failed, \d+ ms, at \+0 µs, .*1 event" \[expanded\] \[level=1\]$/,
      /^treeitem "payment: POST \/v2\/charges, failed, .*on the critical path for .*p\d+ of its peers/,
    ]);
    expect(app.complaints).toEqual([]);
  });

  test("compare: both sides, the difference, and each row by its name", async () => {
    const { page, server, store } = app;
    await page.goto(`${server.origin}/compare?a=${store.declined.traceID}`);
    await page.locator(".compare-row").first().waitFor();
    expectLines(await readOut(page), [
      /^heading "Compare traces" \[level=1\]$/,
      /^group "What A is compared with":$/,
      /^definition: Median of \d+ traces [\d.]+ ms \d+ spans$/,
      /^definition: [\d.]+ ms longer \(×[\d.]+\), \d+ spans? (more|fewer)$/,
      /^region "Differences":$/,
      /^columnheader "Self, A less B"$/,
      /^rowheader "payment Charge only in A":$/,
      /^cell "\+[\d.]+ ms"$/,
    ]);
    expect(app.complaints).toEqual([]);
  });
});
