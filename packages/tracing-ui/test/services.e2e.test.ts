import { existsSync } from "node:fs";
import { browserPath } from "ui-kit/testing/browser.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AppUnderTest, type OpenPage } from "./app-under-test.ts";
import { builtApp } from "./build-app.ts";
import type { FixtureAnswers } from "./fixtures/fixture-server.ts";
import { shopStore } from "./fixtures/shop-store.ts";

const hasBrowser = existsSync(browserPath);
const title = hasBrowser ? "services" : `services (skipped: no Chromium at ${browserPath})`;

describe.skipIf(!hasBrowser)(title, { timeout: 180_000 }, () => {
  const { traces } = shopStore(20);
  let app: AppUnderTest;
  let opened: OpenPage;

  beforeAll(async () => {
    app = await AppUnderTest.start(await builtApp());
  });
  afterAll(() => app?.stop());
  afterEach(() => opened.close());

  async function open(
    path: string,
    answers: Partial<FixtureAnswers> = {},
    options: Parameters<AppUnderTest["open"]>[1] = {},
  ) {
    opened = await app.open({ traces, ...answers }, options);
    await opened.page.goto(`${opened.server.origin}${path}`);
    return opened.page;
  }

  test("the list says how services do; one leads to its charts, an operation to its traces", async () => {
    const page = await open("/services?lookback=1h");
    const rows = page.locator(".rates tbody tr");
    await rows.first().waitFor();
    const calls = await rows.locator(".rate-calls .mono").allTextContents();
    expect(calls.map(Number.parseFloat)).toEqual(calls.map(Number.parseFloat).toSorted((a, b) => b - a));
    await page.getByRole("button", { name: "Errors" }).click();
    await page.waitForURL(/sort=errors/);
    await expect.poll(() => rows.first().textContent(), { timeout: 60_000 }).toContain("payment");
    await page.getByLabel("Filter by name").fill("pay");
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(1);
    await page.getByRole("link", { name: "payment" }).click();
    await page.waitForURL(/service=payment/);
    await page.getByRole("img", { name: /^Share of calls that failed\. errors: \d/ }).waitFor();
    expect(await page.locator(".rate-plot svg").count()).toBe(3);
    await page.getByRole("link", { name: "Charge", exact: true }).click();
    await page.waitForURL(/\/search\?.*operation=Charge/);
    await page.locator(".result").first().waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("1,500 services are listed in pages, which the address keeps; the filter finds one of the last", async () => {
    const links = Array.from({ length: 1_500 }, (_, index) => ({
      parent: `svc-${String(index).padStart(4, "0")}`,
      child: `svc-${String((index + 1) % 1_500).padStart(4, "0")}`,
      callCount: 1,
    }));
    const page = await open("/services?sort=name", { traces: [], links });
    await page.getByText("1 to 100 of 1,500 services").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(/page=2/);
    await page.getByText("101 to 200 of 1,500 services").waitFor();
    await page.getByText("svc-0100", { exact: true }).waitFor();
    await page.getByLabel("Filter by name").fill("svc-1499");
    await page.getByText("svc-1499", { exact: true }).waitFor();
    expect(await page.locator(".rates tbody tr").count()).toBe(1);
    await page.goto(`${opened.server.origin}/dependencies?view=table&page=15`);
    await page.getByText("1,401 to 1,500 of 1,500 links").waitFor();
    expect(await page.locator(".rates tbody tr").count()).toBe(100);
    expect(opened.complaints).toEqual([]);
  });

  test("a figure and a point of a curve lead to their traces; a telephone shows what the list is sorted by", async () => {
    const page = await open("/services?sort=p99");
    const row = page.locator(".rates tbody tr", { hasText: "payment" });
    await row.locator(".rate-p99 a").click();
    await page.waitForURL(/\/search\?.*service=payment.*/);
    expect(new URL(page.url()).searchParams.get("minDuration")).toMatch(/^\d+us$/);
    await page.goBack();
    await row.waitFor();
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await row.locator(".rate-p99").isVisible()).toBe(true);
    expect(await row.locator(".rate-p50").isVisible()).toBe(false);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${opened.server.origin}/services?service=payment`);
    await page.locator(".rate-plot path").first().waitFor();
    await page.locator(".rate-plot").nth(1).click();
    await page.waitForURL(/lookback=custom/);
    const { searchParams } = new URL(page.url());
    expect(Number(searchParams.get("end")) - Number(searchParams.get("start"))).toBeGreaterThanOrEqual(60e6);
    expect(searchParams.get("tags")).toBe("error=true");
    expect(opened.complaints).toEqual([]);
  });

  test("rates that could not be read are not drawn as none", async () => {
    const page = await open("/search");
    await page.route("**/api/metrics/**", (route) =>
      route.fulfill({ status: 500, json: { data: null, errors: [{ code: 500, msg: "the store is away" }] } }),
    );
    for (const address of ["/dependencies?focus=payment", "/dependencies?view=table"]) {
      await page.goto(`${opened.server.origin}${address}`);
      await page.getByText("Rates of services could not be read: the store is away").waitFor();
      expect(await page.getByText("no calls answered").count()).toBe(0);
      expect(await page.getByText("not known").count()).toBeGreaterThan(0);
    }
  });

  test("a server without metrics says so", async () => {
    const page = await open("/services", { analysis: false });
    await page.getByText("This server has no rates").waitFor();
  });

  test("the graph shows who calls whom; a click focuses, the address keeps it, back goes back", async () => {
    const page = await open("/dependencies");
    await page.getByRole("button", { name: "payment" }).waitFor();
    const all = await page.locator(".graph-node").count();
    await page.getByRole("button", { name: "payment" }).click();
    await page.waitForURL(/focus=payment/);
    await page.getByLabel("How far from the service").selectOption("1");
    await page.waitForFunction((count) => document.querySelectorAll(".graph-node").length < count, all);
    expect(await page.getByRole("button", { name: "payment" }).getAttribute("aria-pressed")).toBe("true");
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes("focus"));
    await page.getByLabel("View").selectOption("table");
    await page.getByRole("cell", { name: "checkout" }).first().waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("200 services: laid out, found by name, focused on with the keyboard", async () => {
    const links = Array.from({ length: 420 }, (_, index) => {
      const parent = (index * 37) % 160;
      return {
        parent: `team-${parent}-api`,
        child: `team-${parent + 1 + ((index * 11) % 39)}-api`,
        callCount: 1 + index * index,
      };
    });
    const page = await open("/dependencies", { links });
    await page.locator(".graph-node").first().waitFor();
    expect(await page.locator(".graph-node").count()).toBeGreaterThan(150);
    // Edges come over a few frames, and all of them do.
    const calls = new Set(links.map(({ parent, child }) => `${parent} ${child}`));
    await page.waitForFunction(
      (count) => document.querySelectorAll(".graph-edge").length === count,
      calls.size,
    );
    // Names can still be read.
    const height = await page
      .locator(".graph-node")
      .first()
      .evaluate((node) => node.getBoundingClientRect().height);
    expect(height).toBeGreaterThan(16);
    await page.keyboard.press("/");
    await page.keyboard.type("team-17-");
    await page.keyboard.press("Enter");
    await page.waitForURL(/focus=team-17-api/);
    await page.waitForFunction(() => document.querySelectorAll(".graph-node").length < 100);
    await page.locator(".graph-node.focused").waitFor();
  });

  test("1,200 calls are laid out beside the page, by a worker", async () => {
    const links = Array.from({ length: 1_200 }, (_, index) => ({
      parent: `from-${index % 30}`,
      child: `to-${Math.floor(index / 30)}`,
      callCount: 1,
    }));
    const page = await open("/dependencies", { links });
    const worker = page.waitForEvent("worker");
    await page.reload();
    await worker;
    await page.locator(".graph-node").first().waitFor();
    expect(await page.locator(".graph-node").count()).toBe(70);
  });
});
