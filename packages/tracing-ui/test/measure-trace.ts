// Measures the trace page in a headless browser:
//   node test/measure-trace.ts [spans] [rounds]
// Prints, for a trace of that many spans (100,000), the median of the rounds (3): time to the first row, 95th
// percentile of frames while scrolling and while zooming, time to fold all, and the heap, in milliseconds and MB. "Busy" figures are the page's own work (work a frame, for
// scrolling): on a machine that does other things they say more than the clock does.
import { rmSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { buildApp } from "./build-app.ts";
import { analysisAnswers } from "./fixtures/analysis-answers.ts";
import { startFixtureServer } from "./fixtures/fixture-server.ts";
import { SeededRandom } from "./fixtures/seeded-random.ts";
import { fixtureNowUs } from "./fixtures/shop-store.ts";
import { importTrace } from "./fixtures/shop-traces.ts";

const spans = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 3);
const folder = await buildApp();
const trace = importTrace(new SeededRandom(1), fixtureNowUs - 60_000_000, spans);
const server = await startFixtureServer(folder, { traces: [trace] });
const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });

/** Runs a step on each of `frames` frames. @returns the 95th percentile of the times between frames */
function frames(page: Page, step: string, count: number): Promise<number> {
  return page.evaluate(
    async ([code, total]) => {
      const act = new Function("frame", code) as (frame: number) => void;
      const times: number[] = [];
      let before = await new Promise<number>(requestAnimationFrame);
      for (let frame = 0; frame < total; frame += 1) {
        act(frame);
        const now = await new Promise<number>(requestAnimationFrame);
        times.push(now - before);
        before = now;
      }
      return times.sort((a, b) => a - b)[Math.floor(total * 0.95)] ?? 0;
    },
    [step, count] as const,
  );
}

const measured: Record<string, number>[] = [];
for (let round = 0; round < rounds; round += 1) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await analysisAnswers(page, [trace]);
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const busyMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
  };
  const begin = performance.now();
  await page.goto(`${server.origin}/trace/${trace.traceID}?runs=all`);
  await page.locator(".span-row").first().waitFor();
  const firstRow = performance.now() - begin;
  const firstRowBusy = await busyMs();
  await page.locator(".span-rank").first().waitFor();
  const beforeScroll = await busyMs();
  const scroll = await frames(page, `document.querySelector(".waterfall").scrollBy(0, 400)`, 120);
  const scrollBusy = ((await busyMs()) - beforeScroll) / 120;
  const zoom = await frames(
    page,
    `const box = document.querySelector(".waterfall");
     box.dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, deltaY: frame < 60 ? -30 : 30, clientX: 900, clientY: 500, bubbles: true, cancelable: true }))`,
    120,
  );
  const foldAll = await page.evaluate(async () => {
    const start = performance.now();
    document.querySelector<HTMLElement>('[aria-label="Fold all"]')?.click();
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    return performance.now() - start;
  });
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  measured.push({ firstRow, firstRowBusy, scroll, scrollBusy, zoom, foldAll, heapMb: usedSize / 1e6 });
  await context.close();
}
const median = (name: string) =>
  measured.map((one) => one[name] ?? 0).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
for (const name of Object.keys(measured[0] ?? {})) console.log(name, median(name).toFixed(1));
await browser.close();
await server.close();
rmSync(folder, { recursive: true, force: true });
