// Measures the trace page of a built jaeger-ui beside ours, in one browser and in turns. `npm run bench -- ui
// --beside` runs it. Usage: `node test/measure-beside.ts <folder of the build> [rounds]`. It prints one line of
// JSON for each figure, the median of the rounds (3).
import { rm } from "node:fs/promises";
import path from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { buildApp } from "./build-app.ts";
import { type FixtureAnswers, startFixtureServer } from "./fixtures/fixture-server.ts";
import {
  bodiesOf,
  cpuClock,
  type Figure,
  type Found,
  frames,
  heapMegabytes,
  type MeasuredTrace,
  measuredTraces,
  printMedians,
} from "./page-measures.ts";
import { spanItem } from "./span-rows.ts";

/** An app that is measured: what is its own of the same measure. */
interface MeasuredApp {
  name: string;
  folder: string;
  /** Search part of the address at which the page shows every span. */
  search: string;
  /** Selector of a row. */
  row: string;
  /** Code that scrolls by 400 pixels. */
  scroll: string;
}

const [besideFolder, roundsText = "3"] = process.argv.slice(2);
if (besideFolder === undefined) {
  throw new Error("name the folder of a built jaeger-ui, which holds index.html and static");
}
const rounds = Number(roundsText);
const ourFolder = await buildApp();
const apps: readonly MeasuredApp[] = [
  {
    ...{ name: "ours", folder: ourFolder, search: "?runs=all", row: spanItem },
    scroll: `document.querySelector(".waterfall").scrollBy(0, 400)`,
  },
  {
    ...{ name: "jaeger-ui", folder: path.resolve(besideFolder), search: "", row: ".span-row" },
    scroll: "window.scrollBy(0, 400)",
  },
];
const traces = measuredTraces();
const kinds: readonly [of: string, unit: Figure["unit"]][] = [
  ["first row", "ms"],
  ["first row, CPU", "ms"],
  ["scroll, p95 of frames", "ms"],
  ["heap", "MB"],
];
const nameOf = (app: MeasuredApp, trace: MeasuredTrace, of: string) =>
  `${trace.spans.length.toLocaleString("en")} spans: ${of}: ${app.name}`;
const figures = traces.flatMap((trace) =>
  kinds.flatMap(([of, unit]) => apps.map((app) => ({ name: nameOf(app, trace, of), unit }))),
);

async function measurePage(
  app: MeasuredApp,
  trace: MeasuredTrace,
  page: Page,
  context: BrowserContext,
): Promise<Found> {
  const found: Found = new Map();
  const answers: FixtureAnswers = { traces: [trace], bodies: bodiesOf(trace) };
  const server = await startFixtureServer(app.folder, answers);
  const keep = (of: string, value: number) => found.set(nameOf(app, trace, of), value);
  try {
    const cpu = await cpuClock(context, page);
    const begin = performance.now();
    await page.goto(`${server.origin}/trace/${trace.traceID}${app.search}`);
    await page.locator(app.row).first().waitFor({ timeout: 120_000 });
    keep("first row", performance.now() - begin);
    keep("first row, CPU", await cpu());
    // Work that an app puts off until its rows are drawn is not to count as scrolling.
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(1_000);
    keep("scroll, p95 of frames", await frames(page, app.scroll));
    keep("heap", await heapMegabytes(context, page));
  } finally {
    await server.close();
  }
  return found;
}

async function measureRound(browser: Browser, round: number): Promise<Found> {
  const found: Found = new Map();
  // The first of a pair finds the machine otherwise than the second.
  const inTurn = round % 2 === 0 ? apps : apps.toReversed();
  for (const trace of traces) {
    for (const app of inTurn) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      for (const [name, value] of await measurePage(app, trace, page, context)) {
        found.set(name, value);
      }
      await context.close();
    }
  }
  return found;
}

const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
try {
  const measured: Found[] = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push(await measureRound(browser, round));
  }
  printMedians(figures, measured);
} finally {
  await browser.close();
  await rm(ourFolder, { recursive: true, force: true });
}
