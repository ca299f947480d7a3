import { existsSync } from "node:fs";
import { violationsOn } from "ui-kit/testing/axe.ts";
import { browserPath } from "ui-kit/testing/browser.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AppUnderTest, type OpenPage } from "./app-under-test.ts";
import { builtApp } from "./build-app.ts";
import { shopStore } from "./fixtures/shop-store.ts";
import { spanItem } from "./span-rows.ts";

const hasBrowser = existsSync(browserPath);
const title = hasBrowser ? "searching" : `searching (skipped: no Chromium at ${browserPath})`;

describe.skipIf(!hasBrowser)(title, { timeout: 180_000 }, () => {
  const { traces } = shopStore(40);
  let app: AppUnderTest;
  let opened: OpenPage;

  beforeAll(async () => {
    app = await AppUnderTest.start(await builtApp());
  });
  afterAll(() => app?.stop());
  afterEach(() => opened.close());

  async function open(address: string, options: Parameters<AppUnderTest["open"]>[1] = {}, analysis = true) {
    opened = await app.open({ traces, analysis }, options);
    await opened.page.goto(`${opened.server.origin}${address}`);
    return opened.page;
  }

  /** The editor waits a moment before it takes a key for an answer to what just came up; the clock stands still. */
  async function passTime(): Promise<void> {
    await opened.page.clock.setFixedTime((await opened.page.evaluate(() => Date.now())) + 5_000);
  }

  test("all services are searched at once, and one by choice", async () => {
    const page = await open("/search?limit=50&lookback=5m");
    await page.locator(".result").first().waitFor();
    expect(opened.server.requests.some((request) => request.startsWith("/tempo/api/search"))).toBe(true);
    const all = await page.locator(".result").count();
    await page.getByLabel("Service", { exact: true }).fill("paym");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL(/service=payment/);
    await page.locator(".search-page .results:not([aria-busy=true])").waitFor();
    expect(await page.locator(".result").count()).toBeLessThan(all);
    expect(opened.complaints).toEqual([]);
  });

  test("tags are completed: a name, then its value, with the keyboard alone", async () => {
    const page = await open("/search");
    await page.locator(".result").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("response");
    await page.getByRole("option", { name: "http.response.status_code" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "502" }).waitFor();
    await page.keyboard.type("50");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    const tags = page.getByLabel("Tags");
    expect(await tags.inputValue()).toBe("http.response.status_code=502 ");
    await page.keyboard.press("Enter");
    await page.waitForURL(/status_code%3D502/);
    await page.locator(".results-failed").first().waitFor();
  });

  test("fields and TraceQL are two views of one query", async () => {
    const page = await open("/search?service=payment&minDuration=10ms&tags=error%3Dtrue");
    await page.getByRole("button", { name: "Write TraceQL" }).click();
    const query = page.getByLabel("TraceQL", { exact: true });
    await expect
      .poll(() => query.textContent())
      .toBe('{ resource.service.name = "payment" && status = error && duration >= 10ms }');
    // The keyboard goes on where the next condition belongs.
    await page.keyboard.type("&& kind = server");
    expect(await query.textContent()).toMatch(/ && duration >= 10ms && kind = server}$/);
    await query.fill('{ name = "Charge" || name = "GetCart" }');
    expect(await page.getByText("more than fields can say").count()).toBe(1);
    await query.fill('{ name = "Charge" && duration >= 1us }');
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]q=/);
    await page.locator(".result").first().waitFor();
    await page.getByRole("button", { name: "Use fields" }).click();
    expect(await page.getByLabel("Longer than").inputValue()).toBe("1us");
    expect(await page.getByLabel("Tags").evaluate((tags) => tags === document.activeElement)).toBe(true);
  });

  test("two traces are chosen for comparing, each from a search of its own", async () => {
    const page = await open("/search?service=frontend&limit=50");
    const bar = page.getByRole("region", { name: "Traces to compare" });
    const choose = (nth: number) => page.getByRole("checkbox", { name: /^Compare / }).nth(nth);
    const idOf = async (nth: number) =>
      (await page.locator(".result-link").nth(nth).getAttribute("href"))?.split("/").pop();
    await page.locator(".result").first().waitFor();
    await choose(1).check();
    const a = await idOf(1);
    await bar.getByRole("link", { name: "Compare with the median" }).waitFor();
    await page.getByLabel("Service", { exact: true }).fill("payment");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL(/service=payment/);
    await page.locator(".search-page .results:not([aria-busy=true])").waitFor();
    await choose(0).focus();
    await page.keyboard.press("Space");
    const b = await idOf(0);
    expect(await violationsOn(page)).toEqual([]);
    await bar.getByRole("link", { name: "Compare", exact: true }).click();
    await page.waitForURL(new RegExp(`/compare\\?a=${a}&b=${b}`));
    await page.goBack();
    await bar.getByRole("button", { name: "Do not compare A" }).click();
    await bar.getByRole("button", { name: "Clear" }).click();
    await bar.waitFor({ state: "detached" });
    expect(opened.complaints).toEqual([]);
  });

  test("a mistake in TraceQL is told in the server's words, and the text stays", async () => {
    const page = await open("/search?q=%7B%20nonsense%20%7D");
    await page.getByText("parse error at line 1, col 3").waitFor();
    expect(await page.getByLabel("TraceQL", { exact: true }).textContent()).toBe("{ nonsense }");
    // The editor marks the word itself, some time after the last letter.
    const marked = page.locator(".cm-mistake");
    await expect
      .poll(
        async () => {
          await passTime();
          return await marked.allTextContents();
        },
        { timeout: 180_000 },
      )
      .toEqual(["nonsense"]);
    expect(await violationsOn(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  test("names and values of completions are those of the searched time", async () => {
    const page = await open(
      "/search?q=%7B%20%7D&lookback=custom&start=1700000000000000&end=1700000600000000",
    );
    const query = page.getByLabel("TraceQL", { exact: true });
    await query.waitFor();
    const asked = page.waitForRequest(/\/attributes\?/);
    await page.keyboard.press("/");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type(" resp");
    await page.getByRole("option", { name: "span.http.response.status_code" }).waitFor();
    const { searchParams } = new URL((await asked).url());
    expect([searchParams.get("start"), searchParams.get("end")]).toEqual([
      "1700000000000000",
      "1700000600000000",
    ]);
    expect(opened.complaints).toEqual([]);
  });

  test("TraceQL is written with completion of names and values, in several lines, with the keyboard alone", async () => {
    const page = await open("/search?q=%7B%20%7D");
    const query = page.getByLabel("TraceQL", { exact: true });
    await query.waitFor();
    await page.locator(".result").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type(" response");
    await page.getByRole("option", { name: "span.http.response.status_code" }).waitFor();
    await passTime();
    await page.keyboard.press("Tab");
    await page.keyboard.type("= 50");
    await page.getByRole("option", { name: /^502/ }).waitFor();
    await passTime();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Enter");
    const lines = async () => (await query.locator(".cm-line").allTextContents()).map((line) => line.trim());
    await expect.poll(lines, { timeout: 60_000 }).toEqual(["{ span.http.response.status_code = 502", "}"]);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => /status_code = 502\n/.test(url.searchParams.get("q") ?? ""));
    expect(opened.complaints).toEqual([]);
  });

  test("Tab waits for a list of completions that is being read anew, the next key waits for Tab, and the editor keeps the focus", async () => {
    const page = await open("/search?q=%7B%20%7D");
    const query = page.getByLabel("TraceQL", { exact: true });
    await page.locator(".result").first().waitFor();
    await query.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("span.http.response.status_code = 5");
    await page.getByRole("option", { name: /^502/ }).waitFor();
    await passTime();
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route(/status_code\/values.*prefix=50/, async (route) => {
      asked.resolve();
      await gate.promise;
      await route.continue();
    });
    await page.keyboard.type("0");
    await asked.promise;
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Enter");
    gate.resolve();
    const lines = async () => (await query.locator(".cm-line").allTextContents()).map((line) => line.trim());
    await expect.poll(lines, { timeout: 60_000 }).toEqual(["{ span.http.response.status_code = 502", "}"]);
    expect(await query.evaluate((field) => field.matches(":focus"))).toBe(true);
    expect(opened.complaints).toEqual([]);
  });

  test("TraceQL is written in a plain field where its editor cannot be loaded", async () => {
    const page = await open("/search");
    await page.locator(".result").first().waitFor();
    await page.route(/traceql-editor-.*\.js/, (route) => route.abort());
    await page.getByRole("button", { name: "Write TraceQL" }).click();
    const query = page.getByLabel("TraceQL", { exact: true });
    await query.fill("{ status = error }");
    expect(await query.inputValue()).toBe("{ status = error }");
    await query.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === "{ status = error }");
  });

  test("a brush over the heat map selects traces and says what sets their spans apart", async () => {
    const page = await open("/search?lookback=15m&limit=50");
    const map = page.locator("[data-heat-map]");
    await page.getByText(/Latency of spans 1\d,\d{3}/).waitFor();
    const box = await map.boundingBox();
    if (box === null) {
      throw new Error("no heat map");
    }
    await page.mouse.move(box.x + box.width * 0.6, box.y + 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/sel=\d+-\d+-\d+-\d+/);
    await page.getByText("40 selected spans, 160 others").waitFor();
    const first = page.locator(".differences li").first();
    expect(await first.textContent()).toContain("cloud.region = eu-2");
    expect(await first.textContent()).toContain("90\u00a0% vs 24\u00a0%");
    // A difference of 0 % is none.
    expect(await page.locator(".differences li").count()).toBe(2);
    expect(await violationsOn(page)).toEqual([]);

    await first.getByRole("button").click();
    await page.waitForURL(
      (url) => /tags=cloud.region%3Deu-2/.test(url.search) && !url.search.includes("sel="),
    );
    await page.goBack();
    await page.getByRole("button", { name: "Clear the selection" }).click();
    await page.getByText("Traces by duration").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("the heat map is brushed with keys", async () => {
    const page = await open("/search?lookback=15m");
    await page.getByText(/Latency of spans 1\d,\d{3}/).waitFor();
    await page.locator("[data-heat-map]").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("Shift+ArrowRight");
    expect(await page.locator("#heat-map-here").textContent()).toMatch(/\d\d:\d\d:\d\d, .* spans/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/sel=/);
    await page.locator("[data-heat-map]").press("Escape");
    await page.waitForURL((url) => !url.search.includes("sel="));
  });

  test("a store without analysis is searched by service, without heat map and TraceQL", async () => {
    const page = await open("/search", {}, false);
    await page.waitForURL(/service=/);
    await page.locator(".result").first().waitFor();
    expect(await page.getByText("Latency of spans").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Write TraceQL" }).count()).toBe(0);
    await page.getByText("Traces by duration").waitFor();
  });

  test("spans are followed as they arrive, paused, and lead to their traces", async () => {
    const [trace] = traces;
    const span = (operation: string, error: boolean) => ({
      ...{ traceID: trace?.traceID, spanID: operation, parentSpanID: "", service: "payment", kind: "server" },
      ...{ operation, error, start: 1_795_269_731_000_000, duration: 1_500, tags: [] },
    });
    const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    opened = await app.open({
      traces,
      tail:
        event("spans", { spans: [span("Charge", true), span("Refund", false)] }) +
        event("skipped", { spans: 7, reason: "too many" }),
    });
    const { page } = opened;
    await page.goto(`${opened.server.origin}/search?service=payment`);
    await page.getByRole("button", { name: "Live" }).click();
    await page.waitForURL(/live=1/);
    await page.getByText("7 left out: too many").waitFor();
    expect(await page.locator(".tail-operation").allTextContents()).toEqual(["Refund", "Charge"]);
    expect(opened.server.requests.find((request) => request.includes("/tail"))).toContain("service=payment");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Go on" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: /Charge/ }).click();
    await page.waitForURL(/\/trace\/.*span=Charge/);
    expect(opened.complaints).toEqual([]);
  });

  test("a file is opened, its traces listed and looked at; what is no such file is told", async () => {
    const page = await open("/search");
    await page.locator(".result").first().waitFor();
    const [trace] = shopStore(1).traces;
    const own = JSON.stringify({ data: [{ ...trace, traceID: "f11e" }] });
    await page.getByLabel("JSON file of traces").setInputFiles({
      ...{ name: "traces.json", mimeType: "application/json", buffer: Buffer.from(own) },
    });
    await page.waitForURL(/file=1/);
    await page.getByText("1 trace").waitFor();
    await page.locator(".result-link").click();
    await page.waitForURL(/\/trace\/f11e/);
    await page.locator(spanItem).first().waitFor();
    expect(opened.server.requests.some((request) => request.startsWith("/api/traces/f11e"))).toBe(false);
    await page.goBack();
    await page.getByLabel("JSON file of traces").setInputFiles({
      ...{ name: "other.json", mimeType: "application/json", buffer: Buffer.from('{"data":[{"spans":1}]}') },
    });
    await page.getByText("neither traces as the query service gives them nor OTLP JSON").waitFor();
    await page.reload();
    await page.getByText("The file is no longer open").waitFor();
  });

  test("a file of OTLP JSON is turned into traces by the server; a refusal is told in its words", async () => {
    const page = await open("/search");
    await page.locator(".result").first().waitFor();
    const [trace] = shopStore(1).traces;
    const otlp = JSON.stringify({ resourceSpans: [{ scopeSpans: [] }] });
    const file = { name: "spans.json", mimeType: "application/json", buffer: Buffer.from(otlp) };
    const asked: (string | null)[] = [];
    let refuse = true;
    await page.route("**/api/transform", (route) => {
      asked.push(route.request().postData());
      return route.fulfill(
        refuse
          ? { status: 400, json: { data: null, errors: [{ code: 400, msg: "no span has an id" }] } }
          : { json: { data: [{ ...trace, traceID: "0123abcd" }], errors: null } },
      );
    });
    await page.getByLabel("JSON file of traces").setInputFiles(file);
    await page.getByText("400: no span has an id").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".result").first().waitFor();
    refuse = false;
    await page.getByLabel("JSON file of traces").setInputFiles(file);
    await page.waitForURL(/file=1/);
    await page.getByText("1 trace").waitFor();
    expect(asked).toEqual([otlp, otlp]);
    await page.locator(".result-link").click();
    await page.waitForURL(/\/trace\/0123abcd/);
    await page.locator(spanItem).first().waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("searches are kept in the browser: the recent ones, and those with a name", async () => {
    const page = await open("/search?service=cart");
    await page.locator(".result").first().waitFor();
    await page.getByLabel("Tags").fill("error=true");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL(/tags=error/);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "cart error=true · 1h" }).waitFor();
    await page.getByLabel("Name for this search").fill("failing carts");
    await page.keyboard.press("Enter");
    await page.goto(`${opened.server.origin}/search`);
    await page.getByRole("button", { name: "More" }).click();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: /^failing carts/ }).click();
    await page.waitForURL(/service=cart.*tags=error/);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Remove failing carts" }).click();
    expect(await page.getByText("Saved in this browser").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  test("attributes become columns, the list is sorted by one, and spans are grouped by one", async () => {
    const page = await open("/search?lookback=15m&limit=50&service=frontend");
    await page.locator(".result").first().waitFor();
    await page.getByRole("button", { name: "Columns and groups" }).click();
    await page.getByLabel("Add a column", { exact: true }).first().fill("status_code");
    await page.keyboard.press("Enter");
    await page.waitForURL(/cols=span.http.response.status_code/);
    const head = page.getByRole("columnheader", { name: "span.http.response.status_code" });
    await head.waitFor();
    await page.keyboard.press("Escape");
    const values = () => page.locator("td.col-value").allTextContents();
    await head.getByRole("button").click();
    await page.waitForURL(/sort=%40span.http.response.status_code/);
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    const ascending = await values();
    expect(ascending.length).toBeGreaterThan(1);
    await head.getByRole("button").click();
    await page.waitForURL(/sort=-%40span/);
    const seen = (list: string[]) => list.filter((text) => text !== "–");
    expect(seen(await values())[0]).toBe(seen(ascending).at(-1));

    await page.getByRole("button", { name: "Columns and groups" }).click();
    await page.getByLabel("Group by", { exact: true }).first().fill("nonsense{");
    await page.keyboard.press("Enter");
    await page.getByText("Write one attribute").waitFor();
    await page.getByLabel("Group by", { exact: true }).first().fill("service.name");
    await page.keyboard.press("Enter");
    await page.waitForURL(/group=resource.service.name/);
    await page.getByText("values of resource.service.name").waitFor();
    await page.getByLabel("Filter values").fill("paym");
    await page.getByText("1 value of").waitFor();
    await page.getByRole("button", { name: "payment" }).click();
    await page.waitForURL(
      (url) => url.searchParams.get("service") === "payment" && !url.searchParams.has("group"),
    );
    const groups = opened.server.requests.filter((request) => request.includes("/groups?"));
    expect(groups.at(-1)).toMatch(/by=resource.service.name.*limit=50.*contains=paym/);
    expect(opened.complaints).toEqual([]);
  });

  test("a search asks again by itself, and stops when it is told to", async () => {
    const page = await open("/search?service=payment&refresh=5s");
    await page.locator(".result").first().waitFor();
    const lists = () => opened.server.requests.filter((request) => /^\/api\/traces\?/.test(request)).length;
    const before = lists();
    await page.waitForResponse(/api\/traces\?/, { timeout: 60_000 });
    expect(lists()).toBeGreaterThan(before);
    await page.getByLabel("Refresh").selectOption("");
    await page.waitForURL((url) => !url.searchParams.has("refresh"));
  });

  test("exceptions are found by a part of their message, and lead to traces that threw them", async () => {
    const page = await open("/exceptions");
    await page.locator(".exceptions tbody tr").first().waitFor();
    const all = await page.locator(".exceptions tbody tr").count();
    await page.getByLabel("Filter by type or message").fill("declined");
    await page.waitForFunction(
      (more) => document.querySelectorAll(".exceptions tbody tr").length < more,
      all,
    );
    await page.locator(".exception-name").first().click();
    const example = page.locator(".exception-traces a").first();
    const [, traceId] = /trace\/([0-9a-f]+)/.exec((await example.getAttribute("href")) ?? "") ?? [];
    expect(traces.map(({ traceID }) => traceID)).toContain(traceId);
    await example.click();
    await page.locator(".span-detail").waitFor();
    await page.goBack();
    await page.getByLabel("Service").fill("nobody");
    await page.getByText("No exception matches in this time.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  test("the list is walked with j and k, and l opens a trace", async () => {
    const page = await open("/search?limit=50");
    await page.locator(".result").first().waitFor();
    for (const key of ["j", "j", "k", "j"]) {
      await page.keyboard.press(key);
    }
    const wanted = await page.locator(".result-link").nth(1).getAttribute("href");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).toBe(wanted);
    await page.keyboard.press("l");
    await page.waitForURL(`**${wanted}`);
  });
});
