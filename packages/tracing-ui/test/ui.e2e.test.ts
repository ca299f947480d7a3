import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { pageComplaints } from "ui-kit/testing/page-complaints.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtApp } from "./build-app.ts";
import { type FixtureAnswers, type FixtureServer, startFixtureServer } from "./fixtures/fixture-server.ts";
import { SeededRandom } from "./fixtures/seeded-random.ts";
import { fixtureNowUs, shopStore } from "./fixtures/shop-store.ts";
import { importTrace } from "./fixtures/shop-traces.ts";
import { rankedItem, rowCount, rowPixels, selectedItem, selectedName, spanItem } from "./span-rows.ts";

const hasBrowser = existsSync(browserPath);
const title = hasBrowser
  ? "the app in a browser"
  : `the app in a browser (skipped: no Chromium at ${browserPath})`;

describe.skipIf(!hasBrowser)(title, () => {
  const store = shopStore(40);
  let folder: string;
  let browser: Browser;
  let answers: FixtureAnswers;
  let server: FixtureServer;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    folder = await builtApp();
    browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(async () => {
    answers = { traces: store.traces };
    server = await startFixtureServer(folder, answers);
    await open("light");
  });
  afterEach(async () => {
    await context.close();
    await server.close();
  });

  async function open(theme: "light" | "dark") {
    await context?.close();
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: theme,
      timezoneId: "Europe/Berlin",
    });
    page = await context.newPage();
    await page.clock.setFixedTime(fixtureNowUs / 1_000 + 20_000);
    complaints = pageComplaints(page);
  }

  const rows = () => page.locator(spanItem);

  test("from a search to a span: results, trace, details, and back", async () => {
    await page.goto(server.origin);
    await page.locator(".result").first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/search");

    await page.getByLabel("Service", { exact: true }).fill("paym");
    await page.getByLabel("Tags").fill('otel.status_description="402 Payment Required"');
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL(/service=payment/);
    await page.locator(".results-failed").waitFor();
    // Lists of names are asked for beside the search, before or after it.
    expect(server.requests).toContainEqual(
      expect.stringMatching(/^\/api\/(v3\/)?(traces|search).*otel\.status_description/),
    );

    await page.locator(".result-link").first().click();
    await page.waitForURL(/\/trace\//);
    await page
      .getByRole("treeitem", { name: /: PlaceOrder,/ })
      .last()
      .click();
    const detail = page.locator(".span-detail");
    await detail.getByText("shop.items").waitFor();
    expect(await detail.locator(".attributes > div", { hasText: "feature.express" }).textContent()).toContain(
      "bool",
    );
    expect(await detail.getByText("prices and stock known").count()).toBe(1);
    await page.waitForURL(/open=[0-9a-f]{16}/);

    const address = page.url();
    await page.goBack();
    await page.locator(".results-failed").waitFor();
    await page.goto(address);
    await page.locator(".span-detail").waitFor();
    expect(await selectedName(page)).toBe("PlaceOrder");
    expect(complaints).toEqual([]);
  });

  test("who comes back to a list, or reloads it, is where they were: scrolled, the focus on its row", async () => {
    await page.setViewportSize({ width: 1024, height: 700 });
    const links = page.locator(".result-link");
    const scrolled = () => page.locator(".results-scroll").evaluate((box) => Math.round(box.scrollTop));
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href"));
    await page.goto(`${server.origin}/search?limit=50`);
    await links.first().waitFor();
    const last = (await links.count()) - 1;
    await links.nth(last).focus();
    await expect.poll(scrolled).toBeGreaterThan(100);
    const top = await scrolled();
    const href = await focused();
    await page.keyboard.press("Enter");
    await page.locator(rankedItem).first().waitFor();
    // Another page, whose answers the browser does not keep: the list comes late.
    await page.reload();
    await page.locator(rankedItem).first().waitFor();
    await page.goBack();
    await expect.poll(focused).toBe(href);
    expect(await scrolled()).toBe(top);
    await page.reload();
    await expect.poll(focused).toBe(href);
    expect(await scrolled()).toBe(top);
    // A new visit begins at the top.
    await page.getByRole("link", { name: "Services", exact: true }).click();
    await page.locator(".rates tbody tr").first().waitFor();
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await links.first().waitFor();
    expect(await scrolled()).toBe(0);
    // Another search, too.
    await links.last().focus();
    await expect.poll(scrolled).toBeGreaterThan(100);
    await page.getByLabel("Longer than").fill("1us");
    await page.keyboard.press("Enter");
    await page.waitForURL(/minDuration=1us/);
    await expect.poll(scrolled).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("the list is sorted by its heads, and the order is in the address", async () => {
    await page.goto(`${server.origin}/search?service=frontend&limit=50`);
    await page.getByRole("button", { name: "Duration" }).click();
    await page.waitForURL(/sort=longest/);
    const bars = await page
      .locator(".result-bar")
      .evaluateAll((elements) =>
        elements.map((element) => Number.parseFloat((element as HTMLElement).style.width)),
      );
    expect(bars.length).toBeGreaterThan(10);
    expect(bars[0]).toBe(100);
    expect(bars).toEqual(bars.toSorted((a, b) => b - a));
  });

  test("a pasted trace id leads to its trace, in any form", async () => {
    await page.goto(`${server.origin}/search`);
    await page.getByLabel("Go to a trace by its id").fill(`00-${store.declined.traceID}-d8b7eb2154448f9d-01`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/trace/${store.declined.traceID}`);
    await page.locator("h1", { hasText: "POST /orders" }).waitFor();
  });

  test("a short id pasted leads to its trace, and is said to be short, found or not", async () => {
    const short = store.declined.traceID.slice(16);
    answers.traces = [{ ...store.declined, traceID: short }];
    await page.goto(`${server.origin}/search`);
    await page.getByLabel("Go to a trace by its id").fill(`b3: ${short}-d8b7eb2154448f9d-1`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/trace/${short}`);
    await page.locator(".trace-figures").getByText("Short id").waitFor();
    expect(await page.locator(".trace-figures").textContent()).toContain(`${"0".repeat(16)}${short}`);
    await page.goto(`${server.origin}/trace/%20${short}%0A?view=json`);
    await page.waitForURL(`**/trace/${short}?view=json`);
    await page.goto(`${server.origin}/trace/beef`);
    await page
      .getByText(`This is a short id. It was looked up with zeros in front, as ${"beef".padStart(32, "0")}`)
      .waitFor();
  });

  test("a trace is read with the keyboard alone", async () => {
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    await rows().first().waitFor();
    const all = await rows().count();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await selectedName(page)).toBe("VerifySession");
    await page.keyboard.press("h");
    expect(await rows().count()).toBe(all - 1);
    await page.keyboard.press("l");
    await page.keyboard.press("e");
    expect(await selectedName(page)).toBe("PlaceOrder");
    await page.keyboard.press("Enter");
    await page.locator(".span-detail").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("redis");
    await page.getByText(/\d+ matches · hides \d+ of/).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/q=redis/);
    expect(complaints).toEqual([]);
  });

  test("100,000 spans: few rows exist at a time, the last can be reached", { timeout: 180_000 }, async () => {
    const huge = importTrace(new SeededRandom(1), fixtureNowUs - 60_000_000, 100_000);
    answers.traces = [huge];
    await page.goto(`${server.origin}/trace/${huge.traceID}?runs=all`);
    await rows().first().waitFor();
    expect(await rows().count()).toBeLessThan(100);
    // A row that stays in view stays the same element: making it anew at every scroll is what costs frames.
    const row = await page.locator('[data-span="29"]').elementHandle();
    await page.locator(".waterfall").evaluate((element) => element.scrollBy(0, 22 * 16));
    await page.locator('[data-span="57"]').waitFor({ state: "attached" });
    expect(await row?.evaluate((element) => element.isConnected)).toBe(true);
    await page.keyboard.press("j");
    await page.keyboard.press("End");
    await page.locator('[data-span="99999"][aria-selected=true]').waitFor();
    expect(await rows().count()).toBeLessThan(100);
    // The canvas is as high as the view needs, not as the trace is long, and the last row is drawn on it.
    expect(await page.locator(".waterfall canvas").evaluate((canvas) => canvas.clientHeight)).toBeLessThan(
      1_400,
    );
    expect(new Set((await rowPixels(page.locator(selectedItem))).lines.flat()).size).toBeGreaterThan(3);
    await page.getByRole("button", { name: "Fold all", exact: true }).click();
    await expect.poll(() => rowCount(page)).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("dragging over the overview zooms; the address keeps the stretch", async () => {
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    const box = await page.locator(".minimap-frame").boundingBox();
    if (box === null) {
      throw new Error("no overview");
    }
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=\d+&to=\d+/);
    await page.keyboard.press("0");
    await page.waitForURL((url) => !url.search.includes("from"));
  });

  test("missing parents and warnings are counted and explained", async () => {
    // Long enough after the trace that nothing of it is still arriving.
    await page.clock.setFixedTime(fixtureNowUs / 1_000 + 90_000);
    await page.goto(`${server.origin}/trace/${store.broken.traceID}`);
    await page.getByText("1 span without its parent").click();
    await page.getByRole("button", { name: "Go to the first" }).click();
    expect(await selectedName(page)).toBe("PlaceOrder");
    expect(await page.getByText("1 span with warnings").count()).toBe(1);
    await page.clock.setFixedTime(fixtureNowUs / 1_000 + 20_000);
  });

  test("an empty store says how to send a span, and shows the first one when it comes", async () => {
    answers.traces = [];
    await page.goto(server.origin);
    await page.getByText("OTEL_EXPORTER_OTLP_ENDPOINT").waitFor();
    answers.traces = store.traces;
    await page.locator(".result").first().waitFor();
  });

  test("a service that fails is reported in its own words; trying again recovers", async () => {
    answers.failure = { status: 500, text: "dial tcp 127.0.0.1:8123: connection refused" };
    await page.goto(`${server.origin}/search?service=frontend&tags=error%3Dtrue`);
    await page.getByText("connection refused").waitFor();
    expect(await page.getByLabel("Tags").inputValue()).toBe("error=true");
    answers.failure = undefined;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".result").first().waitFor();
  });

  test("a trace that is not there, and an address that leads nowhere", async () => {
    await page.goto(`${server.origin}/trace/dead`);
    await page.getByText("This trace is not in the store").waitFor();
    await page.goto(`${server.origin}/nowhere/at/all`);
    await page.getByText("There is no such page").waitFor();
  });

  test("markup in every field stays text", async () => {
    const nasty = '<img src=x onerror="window.struck=1"><script>window.struck=1</script>';
    const [span] = store.declined.spans;
    if (span === undefined) {
      throw new Error("no span");
    }
    const field = { key: nasty, type: "string", value: nasty };
    const trace = {
      ...store.declined,
      traceID: "abc",
      spans: [
        {
          ...span,
          traceID: "abc",
          operationName: nasty,
          tags: [field],
          logs: [{ timestamp: span.startTime, fields: [field] }],
          warnings: [nasty],
        },
      ],
      processes: { p1: { serviceName: nasty, tags: [field] } },
    };
    answers.traces = [trace];
    await page.goto(`${server.origin}/trace/abc?open=${span.spanID}`);
    await page.locator(".span-warnings").waitFor();
    expect(await page.locator("img").count()).toBe(0);
    await page.goto(`${server.origin}/search`);
    await page.locator(".result").waitFor();
    expect(await page.evaluate(() => "struck" in window)).toBe(false);
  });

  test("below a base path all addresses stay below it", async () => {
    const based = await startFixtureServer(folder, answers, "/tracing/ui");
    try {
      await page.goto(`${based.origin}/search?service=frontend`);
      await page.locator(".result-link").first().click();
      await page.waitForURL("**/tracing/ui/trace/*");
      await rows().first().waitFor();
      await page.reload();
      await rows().first().waitFor();
    } finally {
      await based.close();
    }
  });

  test("theme and clock are remembered", async () => {
    await page.goto(`${server.origin}/search?service=frontend`);
    await page.locator(".result").first().waitFor();
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const start = () => page.locator(".result .col-start").first().textContent();
    const [light, local] = [await background(), await start()];
    await page.getByRole("radio", { name: "Dark theme" }).click();
    await page.getByRole("radio", { name: "Times in UTC" }).click();
    await page.reload();
    await page.locator(".result").first().waitFor();
    expect(await background()).not.toBe(light);
    expect(local).toMatch(/^15:/);
    expect(await start()).toMatch(/^14:/);
  });

  test("pages that show nothing have titles of their own", async () => {
    const title = (text: string) => page.waitForFunction((wanted) => document.title === wanted, text);
    await page.goto(`${server.origin}/trace/${"f".repeat(32)}`);
    await title("No trace ffffffff · Tracing");
    await page.goto(`${server.origin}/no-such-page`);
    await title("No such page · Tracing");
    await page.getByRole("link", { name: "Services" }).first().click();
    await title("Services · Tracing");
  });

  test("the first key leads past the bar; paper gets the results without what can only be pressed", async () => {
    await page.goto(`${server.origin}/search?service=frontend`);
    await page.locator(".result").first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator(".top-bar, .skip-link, button.button").filter({ visible: true }).count()).toBe(
      0,
    );
    expect(await page.locator(".result").last().isVisible()).toBe(true);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("light");
    const [list, whole] = await page.evaluate(() => {
      const scroller = document.querySelector(".results-scroll");
      return [scroller?.clientHeight, scroller?.scrollHeight];
    });
    expect(list).toBe(whole);
  });
});
