// Takes pictures of every screen in both themes and several widths, to be looked at:
//   node test/screenshots.ts <folder>
import { mkdirSync } from "node:fs";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { build } from "vite";
import { startFixtureServer } from "./fixtures/fixture-server.ts";
import { fixtureNowUs, shopStore } from "./fixtures/shop-store.ts";

const folder = path.resolve(process.argv[2] ?? "screenshots");
mkdirSync(folder, { recursive: true });
const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(folder, "dist");
await build({ root, logLevel: "warn", build: { outDir: dist, emptyOutDir: true } });

const store = shopStore(60);
const answers = { traces: store.traces };
const server = await startFixtureServer(dist, answers);
const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });

const payment = store.declined.spans.find((span) => span.operationName === "Charge")?.spanID ?? "";
const scenes: Record<string, (page: Page) => Promise<void>> = {
  search: async (page) => {
    await page.goto(`${server.origin}/search?service=frontend&limit=50`);
    await page.locator(".result").first().waitFor();
  },
  "search-error": async (page) => {
    await page.goto(`${server.origin}/search?service=frontend&minDuration=3&tags=error&lookback=custom`);
    await page.locator(".search-field-error").first().waitFor();
  },
  "search-none": async (page) => {
    await page.goto(`${server.origin}/search?service=frontend&tags=no%3Dsuch`);
    await page.getByText("No traces of").waitFor();
  },
  trace: async (page) => {
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    await page.locator(".span-row").first().waitFor();
  },
  "trace-detail": async (page) => {
    await page.goto(`${server.origin}/trace/${store.declined.traceID}?span=${payment}&open=${payment}`);
    await page.locator(".span-detail").waitFor();
  },
  "trace-filter": async (page) => {
    await page.goto(`${server.origin}/trace/${store.declined.traceID}?q=redis&from=20000&to=120000`);
    await page.locator(".filter-count b").waitFor();
  },
  "trace-large": async (page) => {
    await page.goto(`${server.origin}/trace/${store.large.traceID}`);
    await page.locator(".span-row").first().waitFor();
  },
  "trace-broken": async (page) => {
    await page.goto(`${server.origin}/trace/${store.broken.traceID}`);
    await page.locator(".remarks summary").first().click();
  },
  "trace-missing": async (page) => {
    await page.goto(`${server.origin}/trace/dead`);
    await page.getByText("not in the store").waitFor();
  },
  "first-span": async (page) => {
    answers.traces = [];
    await page.goto(server.origin);
    await page.getByText("No spans yet").waitFor();
    answers.traces = store.traces;
  },
  help: async (page) => {
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    await page.locator(".span-row").first().waitFor();
    await page.keyboard.press("?");
  },
};
const only = process.argv.slice(3);
for (const [width, height] of [
  [1440, 900],
  [1920, 1080],
  [900, 900],
] as const) {
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      timezoneId: "Europe/Berlin",
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(error));
    page.on("console", (message) => message.type() === "error" && console.error(message.text()));
    await page.clock.setFixedTime(fixtureNowUs / 1_000 + 20_000);
    for (const [name, show] of Object.entries(scenes)) {
      if (only.length > 0 && !only.includes(`${name}-${theme}-${width}`)) continue;
      await show(page);
      await page.waitForTimeout(300);
      await page.mouse.move(width / 2, 4);
      await page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.png`) });
    }
    await context.close();
  }
}
await browser.close();
await server.close();
