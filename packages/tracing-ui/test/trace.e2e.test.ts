import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { delayedTrace } from "./fixtures/delayed-trace.ts";
import { SeededRandom } from "./fixtures/seeded-random.ts";
import { fixtureNowUs } from "./fixtures/shop-store.ts";
import { TraceBuilder } from "./fixtures/span-builder.ts";
import {
  darkest,
  plainBar,
  rankedItem,
  rowCount,
  rowPixels,
  runItem,
  selectedItem,
  selectedName,
  spanItem,
} from "./span-rows.ts";

describeApp("the trace page in a browser", (app) => {
  const open = async (traceId: string, search = "") => {
    await app.page.goto(`${app.server.origin}/trace/${traceId}${search}`);
    await app.page.locator(spanItem).first().waitFor();
  };

  test("the critical path is a ranked list that leads to its spans, and is in the address", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    await page.getByRole("link", { name: "Critical path" }).click();
    await page.waitForURL(/panel=path/);
    const shares = await page.locator(".path-percent").allTextContents();
    expect(shares.length).toBeGreaterThan(5);
    expect(shares.map(Number.parseFloat)[0]).toBeGreaterThan(50);
    await page.getByText(/of the wait is/).waitFor();
    await page.locator(".path-shares button").first().click();
    expect(await selectedName(page)).toBe("POST /v2/charges");
    const charge = page.locator(selectedItem);
    expect(await charge.getAttribute("aria-label")).toMatch(/on the critical path for \d/);
    // Drawn as a dark line at the foot of the bar, and on no row that the path does not lead through.
    expect(darkest(await rowPixels(charge), 18)).toBeLessThan(120);
    const beside = page.locator(`${spanItem}:not([aria-label*="critical path"])`).first();
    expect(darkest(await rowPixels(beside), 18)).toBeGreaterThan(300);
    expect(await violationsOn(page)).toEqual([]);
    await page.goBack();
    await page.locator(".path-panel").waitFor({ state: "detached" });
    expect(app.complaints).toEqual([]);
  });

  test("each span says where it stands among its peers; a store that cannot tell is no failure", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    const ranked = page.locator(rankedItem).first();
    expect(await ranked.getAttribute("aria-label")).toMatch(/, (p\d+(\.\d)?|max) of its peers/);
    // It is written at the right edge, and says more when the pointer rests on it.
    const { lines } = await rowPixels(ranked);
    expect(new Set(lines.flatMap((line) => line.slice(-40))).size).toBeGreaterThan(1);
    const row = await ranked.boundingBox();
    await page.mouse.move((row?.x ?? 0) + (row?.width ?? 0) - 16, (row?.y ?? 0) + 11);
    await page.locator('.waterfall-rows[title^="Longer than"]').waitFor();
    await page.locator(spanItem).first().click();
    await page.getByText("Among its peers").waitFor();
    await page.waitForURL(/open=/);
    await page.route("**/api/analysis/v1/percentiles/*", (route) =>
      route.fulfill({ status: 501, json: { detail: "the store has no counts" } }),
    );
    await page.reload();
    await page.locator(".span-detail").waitFor();
    expect(await page.locator(rankedItem).count()).toBe(0);
    expect(await page.getByText("Among its peers").count()).toBe(0);
  });

  test("a filter compares, says what of it cannot be read, and its matches are gone through", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    const field = page.getByLabel("Filter spans");
    await field.fill("status=error service!=frontend");
    const failed = store.declined.spans.filter(({ tags }) => tags?.some(({ key }) => key === "error"));
    const inner = failed.filter(({ processID }) => processID !== store.declined.spans[0]?.processID);
    await page.locator(".filter-count", { hasText: `${inner.length} matches` }).waitFor();
    await field.press("Enter");
    await page.locator(".filter-count", { hasText: `1 of ${inner.length} matches` }).waitFor();
    await field.press("Shift+Enter");
    await page.locator(".filter-count", { hasText: `${inner.length} of ${inner.length} matches` }).waitFor();
    await field.fill("duration>fast");
    await page.getByText("“fast” is no duration").waitFor();
    await field.press("Escape");
    await page.getByRole("button", { name: "Fold by level, duration or service" }).click();
    await page.getByRole("button", { name: "Show 2 levels" }).click();
    await page.waitForURL(/fold=depth%3A2/);
    const second = await rowCount(page);
    expect(second).toBeLessThan(store.declined.spans.length);
    await page.keyboard.press("1");
    await expect.poll(() => rowCount(page)).toBe(1);
    // A selected span would be unfolded.
    await page.keyboard.press("Escape");
    await page.waitForURL(/\?fold=depth%3A1$/);
    await page.reload();
    await page.locator(spanItem).first().waitFor();
    expect(await rowCount(page)).toBe(1);
    expect(app.complaints).toEqual([]);
  });

  test("runs of like siblings are folded to one row, and unfold by key and by mouse", async () => {
    const { page, store } = app;
    await open(store.large.traceID);
    const run = page.locator(runItem).first();
    await run.waitFor();
    expect(await run.getAttribute("aria-label")).toMatch(/^\d+ like spans in a row, .*p50 .*p95 /);
    expect(await run.getAttribute("aria-expanded")).toBe("false");
    const folded = await rowCount(page);
    expect(folded).toBeLessThan(100);
    await page.keyboard.press("j");
    await page.keyboard.press("End");
    await page.locator(`${selectedItem}[aria-label*=" like spans in a row"]`).waitFor();
    await page.keyboard.press("l");
    await page.waitForURL(/runs=[0-9a-f]{16}/);
    const head = page.locator(`${spanItem}[aria-label*=", first of "]`).first();
    await head.waitFor();
    expect(await rowCount(page)).toBeGreaterThan(folded + 80);
    await page.reload();
    await head.waitFor();
    // The chip that folds it again stands at the right end of the name.
    const names = await page.locator(".waterfall-tools").boundingBox();
    const chip = { x: (names?.width ?? 0) - 20, y: 11 };
    await head.hover({ position: chip });
    await page.locator('.waterfall-rows[title^="Fold these "]').waitFor();
    await head.click({ position: chip });
    await expect.poll(() => rowCount(page)).toBe(folded);
    await page.keyboard.press("e");
    await page.locator(`${selectedItem}[aria-label*=", failed, "]`).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(app.complaints).toEqual([]);
  });

  test("the canvas is a tree for screen readers, whose items can be pressed", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    await page.getByRole("button", { name: "Unfold all", exact: true }).focus();
    // Past the edge between names and bars.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const tree = page.getByRole("tree", { name: /^Spans, / });
    const { spans } = store.declined;
    const root = spans.find(({ references }) => (references ?? []).length === 0)?.spanID;
    const siblings = spans.filter(({ references }) => references?.[0]?.spanID === root).length;
    expect(await rowCount(page)).toBe(spans.length);
    expect(await tree.evaluate((element) => element === document.activeElement)).toBe(true);
    const active = async () => page.locator(`#${await tree.getAttribute("aria-activedescendant")}`);
    const facts = async () => {
      const item = await active();
      const names = ["level", "posinset", "setsize", "expanded", "selected"];
      return Promise.all(names.map((name) => item.getAttribute(`aria-${name}`)));
    };
    await page.locator(selectedItem).waitFor();
    expect(await facts()).toEqual(["1", "1", "1", "true", "true"]);
    await page.keyboard.press("ArrowRight");
    expect(await selectedName(page)).toBe("VerifySession");
    expect(await facts()).toEqual(["2", "1", `${siblings}`, "true", "true"]);
    await page.keyboard.press("ArrowLeft");
    expect(await facts()).toEqual(["2", "1", `${siblings}`, "false", "true"]);
    expect(await (await active()).getAttribute("aria-label")).toContain(", 1 below");
    await page.keyboard.press("ArrowDown");
    expect(await facts()).toEqual(["2", "2", `${siblings}`, "true", "true"]);
    // A screen reader presses an item without a pointer; its details are named by it.
    await (await active()).evaluate((item: HTMLElement) => item.click());
    await page.getByRole("group", { name: "Details of GetCart" }).waitFor();
    const details = await (await active()).getAttribute("aria-details");
    expect(await page.locator(`#${details}`).getByText("GetCart").count()).toBeGreaterThan(0);
    expect(
      await page
        .locator(`#${details}`)
        .getByRole("button", { name: "Copy the name of the operation" })
        .count(),
    ).toBe(1);
    expect(await violationsOn(page)).toEqual([]);

    // The active item is there also when it was scrolled away.
    await open(store.large.traceID, "?runs=all");
    await page.keyboard.press("j");
    await page.locator(selectedItem).waitFor();
    await page.locator(".waterfall").evaluate((element) => element.scrollBy(0, 100_000));
    await page.locator('[data-span="4545"]').waitFor();
    expect(await (await active()).getAttribute("aria-selected")).toBe("true");
    expect(await page.locator('[data-span="1"]').count()).toBe(0);
    expect(app.complaints).toEqual([]);
  });

  test("a filter hides or dims, says how many, and keeps that in the address", async () => {
    const { page, store } = app;
    await open(store.declined.traceID, "?q=redis");
    await page.getByText(/\d+ matches · hides/).waitFor();
    const matches = Number(await page.locator(".filter-count b").textContent());
    const hidden = await page.locator(spanItem).count();
    await page.getByRole("button", { name: "Dim", exact: true }).click();
    await page.getByText(`dims ${store.declined.spans.length - matches} of`).waitFor();
    expect(await page.locator(spanItem).count()).toBeGreaterThan(hidden);
    await page.waitForURL(/others=dim/);
  });

  test("the last point of time of the overview is named within the window", async () => {
    const { page, server, store } = app;
    const [span] = store.declined.spans;
    if (span === undefined) {
      throw new Error("the fixture has no span");
    }
    app.answers.traces = [{ ...store.declined, spans: [{ ...span, references: [], duration: 1_000_000 }] }];
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    const last = page.locator(".minimap-scale span").last();
    await last.waitFor();
    expect(await last.textContent()).toBe("1\u00a0s");
    const right = await last.evaluate((text) => text.getBoundingClientRect().right);
    const edge = await page
      .locator(".minimap-frame")
      .evaluate((frame) => frame.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(edge);
  });

  test("keys and the wheel zoom and move along in time", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    await page.keyboard.press("+");
    await page.waitForURL(/from=\d+&to=\d+/);
    const from = () => Number(new URL(page.url()).searchParams.get("from"));
    const before = from();
    await page.keyboard.press("]");
    await page.waitForURL((url) => Number(url.searchParams.get("from")) > before);
    const moved = from();
    await page.mouse.move(1_000, 500);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, -120);
    await page.keyboard.up("Shift");
    await page.waitForURL((url) => Number(url.searchParams.get("from")) < moved);
  });

  test("the flame graph is walked by key and zoomed by click, and leads back to the waterfall", async () => {
    const { page, store } = app;
    await open(store.declined.traceID, "?from=1000&to=300000");
    await page.getByRole("link", { name: "Flame graph" }).click();
    await page.getByRole("tree", { name: "Flame graph" }).waitFor();
    expect(await page.locator('.link-switch [aria-current="page"]').allTextContents()).toEqual([
      "Flame graph",
    ]);
    const boxes = page.getByRole("treeitem");
    const all = await boxes.count();
    await boxes.first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toContain(
      "PlaceOrder",
    );
    await page.keyboard.press("Enter");
    await page.waitForURL(/at=[0-9a-f]{16}/);
    expect(await boxes.count()).toBeLessThan(all);
    expect(await violationsOn(page)).toEqual([]);
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes("at="));
    await page.getByRole("link", { name: "Show in the waterfall" }).click();
    await page.locator(selectedItem).waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("statistics are sorted and grouped, in the address, and lead to the spans", async () => {
    const { page, store } = app;
    await page.goto(`${app.server.origin}/trace/${store.declined.traceID}?view=statistics`);
    await page.locator(".statistics tbody tr").first().waitFor();
    await page.getByRole("button", { name: "Spans", exact: true }).click();
    await page.waitForURL(/sort=count/);
    const counts = await page.locator(".statistics tbody td:nth-child(2)").allTextContents();
    expect(counts.map(Number)).toEqual(counts.map(Number).toSorted((a, b) => b - a));
    await page.getByLabel("Group by").selectOption("db.system");
    await page.waitForURL(/by=db\.system/);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: "postgresql" }).click();
    await page.getByText(/\d+ matches/).waitFor();
    // Instances of a service are told apart by what their resources say.
    await page.goto(`${app.server.origin}/trace/${store.declined.traceID}?view=statistics`);
    await page.getByLabel("Group by").selectOption("host.name");
    await page.waitForURL(/by=host\.name/);
    await page.getByRole("link", { name: /^payment-6d9f7c5b8-/ }).click();
    await page.getByText(/\d+ matches/).waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("calls that one span makes many times are listed with their share, and a repeated pattern is one row", async () => {
    const { page, store } = app;
    const [root] = store.declined.spans;
    if (root === undefined) {
      throw new Error("no span");
    }
    const child = (index: number, operationName: string, startTime: number) => ({
      ...{
        ...root,
        spanID: `${operationName} ${index}`,
        operationName,
        startTime,
        duration: 500,
        tags: [],
        logs: [],
      },
      references: [{ refType: "CHILD_OF", traceID: root.traceID, spanID: root.spanID }],
    });
    const spans = Array.from({ length: 40 }, (_, index) => [
      child(index, "SELECT item", root.startTime + index * 2_000),
      child(index, "render item", root.startTime + index * 2_000 + 1_000),
    ]).flat();
    app.answers.traces = [{ ...store.declined, spans: [{ ...root, duration: 100_000 }, ...spans] }];
    await open(root.traceID);
    expect(await rowCount(page)).toBe(2);
    await page
      .locator(
        `${spanItem}[aria-label^="40 repeats of 2 spans in a row, frontend: SELECT item · render item,"]`,
      )
      .waitFor();
    await page.getByRole("link", { name: "Repeated calls" }).click();
    await page.waitForURL(/panel=repeats/);
    const listed = page.locator(".path-shares li");
    await expect.poll(() => listed.allInnerTexts()).toHaveLength(2);
    expect(await listed.first().textContent()).toMatch(/×40\s*20\.0\s*ms\s*20 %/);
    await listed.first().getByRole("button").click();
    await page.locator(selectedItem).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(app.complaints).toEqual([]);
  });

  test("events of all spans stand in one list, exceptions by what they say, and lead to their spans", async () => {
    const { page, store } = app;
    const [, second] = store.declined.spans;
    const json = '{"id":12345678901234567890,"items":[{"sku":"A"}]}';
    second?.tags?.push({ key: "body", type: "string", value: json });
    await page.goto(`${app.server.origin}/trace/${store.declined.traceID}?view=events`);
    await page.getByText("10 events, 6 exceptions").waitFor();
    await page
      .locator(".exception-groups summary", { hasText: "3× HttpError 402 Payment Required" })
      .waitFor();
    await page.locator(".exception-groups summary", { hasText: "PaymentDeclined 402" }).click();
    const own = page.getByText("at shop.payment.ProviderClient.post(ProviderClient.java:77)").first();
    const library = page.getByText("at java.base/java.lang.Thread.run(Thread.java:1583)").first();
    await own.waitFor();
    expect(await library.isVisible()).toBe(false);
    await page.getByText("3 lines in libraries").first().click();
    expect(await library.isVisible()).toBe(true);
    await page.getByLabel("Filter events").fill("retry attempt=2");
    await page.getByText("1 event of 10, 0 exceptions").waitFor();
    await page.waitForURL(/events=retry/);
    await page.locator(".all-events a").click();
    await page.locator(".span-detail").waitFor();
    expect(await selectedName(page)).toBe("Charge");
    await open(store.declined.traceID, `?open=${second?.spanID}`);
    const body = page.locator(".attributes > div", { hasText: "body" });
    await body.getByText('"id": 12345678901234567890,').waitFor();
    await body.hover();
    await body.getByRole("button", { name: "Lay out the value of body" }).click();
    await body.getByText(json).waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("the graph draws each operation once; the JSON can be saved", async () => {
    const { page, store } = app;
    await page.goto(`${app.server.origin}/trace/${store.declined.traceID}?view=graph`);
    await page.locator(".graph-node").first().waitFor();
    expect(await page.locator(".graph-node").count()).toBeGreaterThan(5);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: "JSON" }).click();
    await page.locator(".trace-json-text").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`trace-${store.declined.traceID}.json`);
    expect(JSON.parse(await readFile(await download.path(), "utf8"))).toEqual({ data: [store.declined] });
  });

  test("a graph that is higher than the window opens at the root of the trace", async () => {
    const { page } = app;
    const builder = new TraceBuilder(new SeededRandom(3));
    const startUs = fixtureNowUs - 60_000_000;
    const fields = { operation: "GET /", kind: "server", startUs } as const;
    const root = builder.add({ ...fields, service: "gateway" });
    for (let index = 0; index < 40; index += 1) {
      builder.end(builder.add({ ...fields, service: `team-${index}-api`, parent: root }), startUs + 400);
    }
    builder.end(root, startUs + 500);
    const trace = builder.build();
    Object.assign(app.answers, { traces: [trace] });
    await page.goto(`${app.server.origin}/trace/${trace.traceID}?view=graph`);
    await page.getByText("41 operations, 40 ways between them").waitFor();
    const first = page.locator(".graph-node").first();
    expect(await first.textContent()).toContain("gateway");
    const top = await first.evaluate((node) => node.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(200);
    expect(top).toBeLessThan(800);
    // Whoever moved on keeps the place.
    await page.locator(".trace-graph-scroll").evaluate((frame) => {
      frame.scrollTop = 0;
    });
    await page.getByRole("button", { name: "Larger" }).click();
    expect(await page.locator(".trace-graph-scroll").evaluate((frame) => frame.scrollTop)).toBe(0);
    expect(app.complaints).toEqual([]);
  });

  test("traces like a span's are found by what is chosen of it", async () => {
    const { page, store } = app;
    const charge = store.declined.spans.find(({ operationName }) => operationName === "Charge");
    await open(store.declined.traceID, `?open=${charge?.spanID}`);
    await page.getByRole("button", { name: "Find traces like this" }).click();
    const form = page.getByRole("region", { name: "Find traces like this" });
    expect(await form.locator("input:checked").count()).toBe(3);
    await form.getByLabel("failed").uncheck();
    await form.getByLabel("payment.amount 129.95").check();
    await form.getByLabel("service.version").check();
    expect(await form.locator("code").textContent()).toMatch(
      /^\{ resource\.service\.name = "payment" && name = "Charge" && span\.payment\.amount = 129\.95 && resource\.service\.version = "[\d.]+" \}$/,
    );
    expect(await violationsOn(page)).toEqual([]);
    await form.getByLabel("service.version").uncheck();
    await form.getByRole("link", { name: "Find traces" }).click();
    await page.waitForURL(/\/search\?q=.*payment\.amount/);
    await page.locator(".result").first().waitFor();
    await page.goBack();

    // A store without TraceQL is asked by its fields.
    app.answers.analysis = false;
    await page.reload();
    await page.getByRole("button", { name: "Find traces like this" }).click();
    await form.getByText("Find traces", { exact: true }).click();
    await page.waitForURL(/\/search\?service=payment&operation=Charge&tags=error%3Dtrue/);
    expect(app.complaints).toEqual([]);
  });

  test("services have patterns when they are wanted, and keep them", async () => {
    const { page, store } = app;
    // So near that the spans of most services are wide enough to see what their bars are like.
    await open(store.declined.traceID, "?to=16000");
    const rows = await page.locator(spanItem).all();
    // Bars are found while they are plain, and looked at again in the same places.
    const bars: { x: number; width: number }[] = [];
    for (const row of rows) {
      bars.push(plainBar(await rowPixels(row)));
    }
    /** The look of bars: plain, or the share of their colour, and whether that changes along and across. */
    const textures = async () => {
      const seen = new Set<string>();
      for (const [index, row] of rows.entries()) {
        const { x, width } = bars[index] ?? { x: 0, width: 0 };
        if (width < 30) {
          continue;
        }
        const { lines } = await rowPixels(row);
        const patch = lines.slice(6, 16).map((line) => line.slice(x + 4, x + 24));
        const along = patch.some((line) => new Set(line).size > 1);
        const across = patch[0]?.some((_, column) => new Set(patch.map((line) => line[column])).size > 1);
        seen.add(`${along} ${across} ${new Set(patch.flat()).size > 2}`);
      }
      return seen;
    };
    expect(await textures()).toEqual(new Set(["false false false"]));
    await page.getByRole("button", { name: "Patterns" }).click();
    const patterned = await textures();
    expect(patterned.size).toBeGreaterThan(2);
    await page.reload();
    await page.locator(spanItem).first().waitFor();
    expect(await textures()).toEqual(patterned);
    expect(await violationsOn(page)).toEqual([]);
  });

  test("with forced colours the canvas is drawn in those of the system, and follows when they change", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    const row = page.locator(spanItem).first();
    const system = (colour: string) =>
      page.evaluate((name) => {
        const context = document.createElement("canvas").getContext("2d");
        if (context === null) {
          throw new Error("no canvas");
        }
        context.fillStyle = name;
        context.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
        return (red << 16) | (green << 8) | blue;
      }, colour);
    const ground = async () => (await rowPixels(row)).lines[0]?.at(-1);
    // Before its first drawing the canvas is without colour: as black as the system's ground is then.
    await expect.poll(ground, { timeout: 60_000 }).toBeGreaterThan(0);
    const own = await ground();
    await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
    await page.waitForFunction(() => matchMedia("(forced-colors: active)").matches);
    await expect.poll(ground, { timeout: 60_000 }).not.toBe(own);
    expect(await ground()).toBe(await system("Canvas"));
    const { lines } = await rowPixels(row);
    expect(lines.flat()).toContain(await system("CanvasText"));
    expect(await violationsOn(page)).toEqual([]);
    await page.emulateMedia({ forcedColors: "none", colorScheme: "light" });
    await expect.poll(ground, { timeout: 60_000 }).toBe(own);
  });

  test("a trace saved as HTML opens offline, with its view, and asks nobody", async () => {
    const { page, context, store } = app;
    const charge = store.declined.spans.find(({ operationName }) => operationName === "Charge");
    const [span] = store.declined.spans;
    span?.tags?.push({ key: "nasty", type: "string", value: "</script><script>window.struck=1</script>" });
    await open(store.declined.traceID, `?span=${charge?.spanID}&open=${span?.spanID}`);
    await page.locator(rankedItem).first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as HTML" }).click(),
    ]);
    const folder = await mkdtemp(path.join(tmpdir(), "saved-trace-"));
    const file = path.join(folder, download.suggestedFilename());
    await download.saveAs(file);
    await page.getByRole("button", { name: "Saved" }).waitFor();

    await context.setOffline(true);
    const saved = await context.newPage();
    const asked: string[] = [];
    saved.on("request", (request) => request.url().startsWith("file:") || asked.push(request.url()));
    saved.on("pageerror", (error) => app.complaints.push(String(error)));
    saved.on("console", (message) => message.type() === "error" && app.complaints.push(message.text()));
    await saved.goto(`file://${file}`);
    await saved.locator(".span-detail", { hasText: "nasty" }).waitFor();
    expect(await selectedName(saved)).toBe("Charge");
    expect(await saved.locator(rankedItem).count()).toBeGreaterThan(0);
    expect(plainBar(await rowPixels(saved.locator(selectedItem))).width).toBeGreaterThan(50);
    expect(await saved.getByText("Find traces like this").count()).toBe(0);
    await saved.getByRole("link", { name: "Flame graph" }).click();
    await saved.getByRole("treeitem").first().waitFor();
    await saved.reload();
    await saved.getByRole("treeitem").first().waitFor();
    await saved.getByRole("radio", { name: "Dark theme" }).click();
    expect(await violationsOn(saved)).toEqual([]);
    expect(await saved.evaluate(() => "struck" in window)).toBe(false);
    expect(asked).toEqual([]);
    await rm(folder, { recursive: true });
    expect(app.complaints).toEqual([]);
  });

  test("a trace is archived where the store has an archive; a refusal is said in its own words", async () => {
    const { page, store } = app;
    await open(store.declined.traceID);
    expect(await page.getByRole("button", { name: "Archive" }).count()).toBe(0);
    await page.route("**/page-facts.js", async (route) => {
      const body = await (await route.fetch()).text();
      await route.fulfill({
        contentType: "text/javascript",
        body: body.replace(
          "CAPABILITIES = DEFAULT_STORAGE_CAPABILITIES",
          "CAPABILITIES = { archiveStorage: true }",
        ),
      });
    });
    let status = 500;
    await page.route("**/api/archive/*", (route) =>
      route.fulfill({
        status,
        json: { data: null, errors: status === 200 ? null : [{ code: 500, msg: "disk full" }] },
      }),
    );
    await page.reload();
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByText("Archive: disk full").waitFor();
    status = 200;
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Archived" }).waitFor();
  });

  test("time in which nothing ran is folded, said, and shown on demand", async () => {
    const { page } = app;
    const trace = delayedTrace(new SeededRandom(7), fixtureNowUs - 400_000_000);
    app.answers.traces = [trace];
    await open(trace.traceID);
    await page.locator(".minimap .idle-gap").waitFor();
    await page.getByText("5m", { exact: true }).first().waitFor();
    const firstRow = page.locator(spanItem).first();
    const widthOf = async () => plainBar(await rowPixels(firstRow)).width;
    expect(await widthOf()).toBeGreaterThan(200);
    // The band that stands for it is hatched: its lines are shifted from row of pixels to row of pixels.
    const hatching = async () => {
      const { lines, laneLeft, laneRight } = await rowPixels(firstRow);
      const [one, other] = [lines[1], lines[2]].map((line) => line?.slice(laneLeft, laneRight) ?? []);
      return one?.filter((colour, x) => colour !== other?.[x]).length ?? 0;
    };
    expect(await hatching()).toBeGreaterThan(4);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: "Show", exact: true }).click();
    await page.waitForURL(/gaps=shown/);
    await page.locator(".idle-gap").first().waitFor({ state: "detached" });
    expect(await widthOf()).toBeLessThan(10);
    expect(await hatching()).toBe(0);
    await page.goBack();
    await page.locator(".idle-gap").first().waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("a damaged trace is shown whole, in every view: cycles, shared ids, odd times, huge and strange texts", async () => {
    const { page, store } = app;
    const [like] = store.declined.spans;
    if (like === undefined) {
      throw new Error("no span");
    }
    const traceID = "bad";
    const add = (spanID: string, parent: string, change: Partial<typeof like>) => ({
      ...{ ...like, traceID, spanID, logs: [], tags: [] },
      references: parent === "" ? [] : [{ refType: "CHILD_OF", traceID, spanID: parent }],
      ...change,
    });
    const spans = [
      add("a", "b", { operationName: "circle 1" }),
      add("b", "a", { operationName: "circle 2" }),
      add("c", "c", { operationName: "its own parent" }),
      add("d", "gone", { operationName: "orphan", duration: 2 ** 64 - 5_000 }),
      add("d", "a", { operationName: "same id", duration: 0 }),
      add("e", "a", { operationName: "\u202eesrever \u200b שלום", startTime: 0, duration: 2 ** 62 }),
      add("f", "a", {
        tags: [
          { key: "long", type: "string", value: "x".repeat(1_000_000) },
          { key: "strange", type: "string", value: "pay\u200bment \u202etnemyap" },
        ],
      }),
      add("g", "a", { operationName: "", tags: null, logs: null, references: null }),
    ];
    app.answers.traces = [{ ...store.declined, traceID, spans }];
    await open(traceID, "?open=f");
    expect(await page.locator(spanItem).count()).toBe(spans.length);
    await page.getByText("2 circles of parents").waitFor();
    await page.getByText("1 span without its parent").waitFor();
    await page.getByText("1 span with an id used before").waitFor();
    expect((await page.locator(".attribute-value").first().textContent())?.length).toBeLessThan(10_000);
    await page.getByText("holds letters that cannot be seen: U+200B, U+202E").waitFor();
    // A name that turns the direction of writing does not turn its neighbours.
    const reversed = page.locator(`${spanItem}[aria-label*="esrever"]`);
    const lane = async (row: Locator) => {
      const { lines, laneLeft } = await rowPixels(row);
      return lines.map((line) => line.slice(laneLeft));
    };
    const drawn = await lane(reversed);
    app.answers.traces = [
      {
        ...store.declined,
        traceID,
        spans: spans.map((span) => (span.spanID === "e" ? { ...span, operationName: "a plain name" } : span)),
      },
    ];
    await page.reload();
    expect(await lane(page.locator(`${spanItem}[aria-label*="a plain name"]`))).toEqual(drawn);
    for (const [name, sign] of [
      ["Flame graph", ".flame-box"],
      ["Graph", ".graph-node"],
      ["Statistics", ".statistics tbody tr"],
      ["Events", ".trace-events"],
      ["JSON", ".trace-json-text"],
    ] as const) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.locator(sign).first().waitFor();
    }
    expect(app.complaints).toEqual([]);
  });
});
