// Measures the app in a headless browser. `npm run bench -- ui` runs it, and explains the figures. Usage:
// `node test/measure-ui.ts [rounds]`. It prints one line of JSON for each figure, the median of the rounds
// (3).
import { rm } from "node:fs/promises";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { buildApp } from "./build-app.ts";
import { type FixtureAnswers, startFixtureServer } from "./fixtures/fixture-server.ts";
import { shopStore } from "./fixtures/shop-store.ts";
import { watchLoadedFiles } from "./loaded-files.ts";
import {
  bodiesOf,
  cpuClock,
  type Figure,
  type Found,
  frameCount,
  frames,
  heapMegabytes,
  type MeasuredTrace,
  measuredTraces,
  printMedians,
} from "./page-measures.ts";
import { rankedItem, spanItem } from "./span-rows.ts";

const rounds = Number(process.argv[2] ?? 3);

/** Figures, their units, and the most that the project allows; undefined: told, not held to. */
const figures: readonly Figure[] = [
  { name: "first load, gzip", unit: "kB", most: 260 },
  { name: "whole app, gzip", unit: "kB", most: 400 },
  { name: "search page interactive", unit: "ms", most: 1_000 },
  { name: "search page interactive, CPU", unit: "ms" },
  ...[10_000, 100_000].flatMap((spans) => {
    const of = `${spans.toLocaleString("en")} spans`;
    return [
      { name: `${of}: first row`, unit: "ms" as const, most: spans === 10_000 ? 700 : 1_000 },
      { name: `${of}: first row, CPU`, unit: "ms" as const },
      { name: `${of}: scroll, p95 of frames`, unit: "ms" as const, most: 20 },
      { name: `${of}: scroll, CPU a frame`, unit: "ms" as const },
      { name: `${of}: zoom, p95 of frames`, unit: "ms" as const, most: 20 },
      { name: `${of}: zoom, CPU a frame`, unit: "ms" as const },
      { name: `${of}: all collapsed`, unit: "ms" as const, most: 100 },
      { name: `${of}: filtered by a word`, unit: "ms" as const, most: 100 },
      { name: `${of}: heap`, unit: "MB" as const, most: 250 },
    ];
  }),
  { name: "graph of 200 services", unit: "ms", most: 1_000 },
  { name: "graph of 200 services: longest task of the page", unit: "ms" },
  { name: "graph of 200 services, CPU of the page", unit: "ms" },
];

async function measureSearch(
  page: Page,
  context: BrowserContext,
  origin: string,
  folder: string,
  found: Found,
) {
  const cpu = await cpuClock(context, page);
  const bytes = watchLoadedFiles(context, folder);
  const begin = performance.now();
  await page.goto(`${origin}/search`);
  await page.locator(".result").first().waitFor();
  await page.getByLabel("Service", { exact: true }).focus();
  found.set("search page interactive", performance.now() - begin);
  found.set("search page interactive, CPU", await cpu());
  found.set("first load, gzip", bytes().loaded / 1_000);
  found.set("whole app, gzip", bytes().all / 1_000);
}

async function measureTrace(
  page: Page,
  context: BrowserContext,
  origin: string,
  trace: MeasuredTrace,
  found: Found,
) {
  const of = `${trace.spans.length.toLocaleString("en")} spans`;
  const cpu = await cpuClock(context, page);
  const begin = performance.now();
  await page.goto(`${origin}/trace/${trace.traceID}?runs=all`);
  await page.locator(spanItem).first().waitFor();
  found.set(`${of}: first row`, performance.now() - begin);
  found.set(`${of}: first row, CPU`, await cpu());
  await page.locator(rankedItem).first().waitFor();
  const each = async (name: string, step: string) => {
    const before = await cpu();
    found.set(`${of}: ${name}, p95 of frames`, await frames(page, step));
    found.set(`${of}: ${name}, CPU a frame`, ((await cpu()) - before) / frameCount);
  };
  await each("scroll", `document.querySelector(".waterfall").scrollBy(0, 400)`);
  await each(
    "zoom",
    `document.querySelector(".waterfall").dispatchEvent(new WheelEvent("wheel", {
       ctrlKey: true, deltaY: frame < ${frameCount / 2} ? -30 : 30, clientX: 900, clientY: 500, bubbles: true, cancelable: true }))`,
  );
  const collapsed = await page.evaluate(async () => {
    const start = performance.now();
    document.querySelector<HTMLElement>('[aria-label="Fold all"]')?.click();
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    return performance.now() - start;
  });
  found.set(`${of}: all collapsed`, collapsed);
  found.set(`${of}: filtered by a word`, await filtered(page));
  found.set(`${of}: heap`, await heapMegabytes(context, page));
}

/** From a word in the filter field until what it finds is drawn. */
function filtered(page: Page): Promise<number> {
  return page.getByLabel("Filter spans", { exact: true }).evaluate(async (field) => {
    const count = () => document.querySelector(".waterfall-tree, .waterfall-empty")?.outerHTML.length;
    const before = count();
    const start = performance.now();
    (field as HTMLInputElement).select();
    document.execCommand("insertText", false, "payment");
    while (count() === before) {
      await new Promise(requestAnimationFrame);
    }
    return performance.now() - start;
  });
}

/** Two hundred services that call each other some 420 times over, in layers. */
function wideGraph(): NonNullable<FixtureAnswers["links"]> {
  return Array.from({ length: 420 }, (_, index) => {
    const parent = (index * 37) % 160;
    const child = parent + 1 + ((index * 11) % 39);
    return { parent: `team-${parent}-api`, child: `team-${child}-api`, callCount: 1 + index * index };
  });
}

async function measureGraph(page: Page, context: BrowserContext, origin: string, found: Found) {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: "longtask",
      buffered: true,
    });
  });
  const cpu = await cpuClock(context, page);
  const begin = performance.now();
  await page.goto(`${origin}/dependencies`);
  await page.locator(".graph-node").first().waitFor();
  found.set("graph of 200 services", performance.now() - begin);
  found.set("graph of 200 services, CPU of the page", await cpu());
  const longest = await page.evaluate(() =>
    Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks),
  );
  found.set("graph of 200 services: longest task of the page", longest);
}

async function measureRound(
  browser: Browser,
  folder: string,
  traces: readonly MeasuredTrace[],
): Promise<Found> {
  const found: Found = new Map();
  const answers: FixtureAnswers = { traces: shopStore(60).traces };
  const server = await startFixtureServer(folder, answers);
  const inPage = async (measure: (page: Page, context: BrowserContext) => Promise<void>) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await measure(page, context);
    await context.close();
  };
  await inPage((page, context) => measureSearch(page, context, server.origin, folder, found));
  for (const trace of traces) {
    Object.assign(answers, { traces: [trace], bodies: bodiesOf(trace) });
    await inPage(async (page, context) => {
      await measureTrace(page, context, server.origin, trace, found);
    });
  }
  answers.links = wideGraph();
  await inPage((page, context) => measureGraph(page, context, server.origin, found));
  await server.close();
  return found;
}

const folder = await buildApp();
const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
const traces = measuredTraces();
const measured: Found[] = [];
for (let round = 0; round < rounds; round += 1) {
  measured.push(await measureRound(browser, folder, traces));
}
await browser.close();
await rm(folder, { recursive: true, force: true });
printMedians(figures, measured);
