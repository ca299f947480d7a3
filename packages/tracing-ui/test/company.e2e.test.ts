import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { companyTraces, numbered } from "./fixtures/company-traces.ts";
import { someObjectives } from "./fixtures/objectives-answer.ts";

/** Characters that the answers to one page may have; all names of the store are ten times as many. */
const mostCharacters = 400_000;
/** Elements of a page: a list that is drawn whole has more rows than this. */
const mostElements = 6_000;

/** Every page, and what is there when it can be used. */
const pages: [address: string, sign: (page: Page) => ReturnType<Page["locator"]>][] = [
  ["/search", (page) => page.locator(".result").first()],
  ["/search?group=resource.service.name", (page) => page.getByText("1,500 values of")],
  ["/services", (page) => page.getByText("1 to 100 of 1,500 services")],
  ["/services?page=15", (page) => page.getByText("1,401 to 1,500 of 1,500 services")],
  [`/services?service=${numbered("svc", 0)}`, (page) => page.getByText("of 20,002 operations")],
  ["/objectives", (page) => page.getByText("1 to 50 of 1,500 objectives")],
  ["/exceptions", (page) => page.getByText("No span recorded an exception")],
  ["/dependencies", (page) => page.locator(".graph-node").first()],
  [`/dependencies?focus=${numbered("svc", 700)}`, (page) => page.locator(".graph-node.focused")],
  ["/dependencies?view=table", (page) => page.getByText("1 to 100 of 1,500 links")],
  [`/changes?service=${numbered("svc", 0)}`, (page) => page.locator(".changes-table tbody tr").first()],
  ["/compare", (page) => page.locator(".notice")],
];

describeApp("a company", (app) => {
  test("1,500 services, 20,000 operations, 10,000 values: no page loads or draws all of them", {
    timeout: 180_000,
  }, async () => {
    const { page, server } = app;
    Object.assign(app.answers, {
      traces: companyTraces(1_500, 20_000, 10_000),
      objectives: someObjectives(1_500),
    });
    let characters = 0;
    page.on("response", async (response) => {
      if (/\/(api|tempo)\//.test(response.url())) {
        characters += (await response.text().catch(() => "")).length;
      }
    });
    for (const [address, sign] of pages) {
      characters = 0;
      await page.goto(`${server.origin}${address}`);
      await sign(page).waitFor();
      const elements = await page.evaluate(() => document.querySelectorAll("*").length);
      expect([address, elements < mostElements, characters < mostCharacters]).toEqual([address, true, true]);
    }
    // Whole lists are for others.
    expect(server.requests.filter((path) => /^\/api\/(services|operations)/.test(path))).toEqual([]);

    await page.goto(`${server.origin}/search`);
    const service = page.getByLabel("Service", { exact: true });
    await service.click();
    await page.getByText("1,450 more: type a part of the name").waitFor();
    await service.fill("01499");
    await page.getByRole("option", { name: numbered("svc", 1_499) }).waitFor();
    expect(await page.locator(".completion-list:not([hidden]) [role=option]").count()).toBe(1);
    await service.fill(numbered("svc", 0));
    const operation = page.getByLabel("Operation");
    await operation.click();
    await page.getByText("19,952 more").waitFor();
    await operation.fill("19999");
    await page.getByRole("option", { name: numbered("op", 19_999) }).click();
    expect(await operation.inputValue()).toBe(numbered("op", 19_999));
    await page.getByLabel("Tags").fill("customer.id=c-0999");
    await page.getByRole("option", { name: /c-09999/ }).waitFor();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Commands" });
    await palette.getByRole("combobox").fill("01234");
    await palette
      .getByRole("option")
      .filter({ hasText: numbered("svc", 1_234) })
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    expect(app.complaints).toEqual([]);
  });

  test("names of one team are told apart in every list, and read out whole", {
    timeout: 180_000,
  }, async () => {
    const { page, server } = app;
    const team = "payments-platform-checkout-orchestrator";
    const traces = companyTraces(101, 0, 0).map((trace) => ({
      ...trace,
      processes: Object.fromEntries(
        Object.entries(trace.processes).map(([id, process]) => [
          id,
          { ...process, serviceName: process.serviceName.replace("svc", team) },
        ]),
      ),
    }));
    Object.assign(app.answers, { traces });
    const { traceID = "" } = traces[0] ?? {};
    const lists = [
      ["/search", ".result"],
      ["/services?sort=name", ".rates tbody tr"],
      ["/dependencies?view=table", ".rates tbody tr"],
      [`/trace/${traceID}?view=statistics`, ".statistics tbody tr"],
      [`/trace/${traceID}?panel=path`, ".path-shares li"],
      [`/compare?a=${traceID}&b=${traces[1]?.traceID}`, ".compare-row"],
    ] as const;
    for (const width of [390, 1_024]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [address, sign] of lists) {
        await page.goto(`${server.origin}${address}`);
        const name = page.locator(sign).first().locator(".cut-name").first();
        await name.waitFor();
        const seen = await name.evaluate((element) => {
          const { width: tail } = getComputedStyle(element, "::after");
          const { width: room } = element.getBoundingClientRect();
          const whole = element.firstElementChild?.getBoundingClientRect() ?? new DOMRect();
          return { isCut: whole.width > room + 0.1, tail: Number.parseFloat(tail), room };
        });
        // Where the name fits, its end is not drawn a second time.
        const where = `${address} at ${width} px`;
        expect(seen.room, where).toBeGreaterThan(60);
        expect(seen.tail > 25, where).toBe(seen.isCut);
        expect(await name.textContent(), where).toMatch(/^payments-platform-checkout-orchestrator-\d{5}$/);
      }
    }
    await page.goto(`${server.origin}/services?sort=name`);
    await page.getByRole("link", { name: numbered(team, 0), exact: true }).waitFor();
    expect(app.complaints).toEqual([]);
  });

  test.each([
    [1, "Service (1)", 1],
    [99, "Service (99)", 99],
    [101, "1 to 100 of 101 services", 100],
  ])("%d services: all are reached", async (count, text, rows) => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: companyTraces(count, 0, 0) });
    await page.goto(`${server.origin}/services?sort=name`);
    await page.getByText(text).first().waitFor();
    await page.locator(".rates tbody tr").first().waitFor();
    expect(await page.locator(".rates tbody tr").count()).toBe(rows);
    await page.goto(`${server.origin}/search`);
    await page.locator(".result").first().waitFor();
    await page.getByLabel("Service", { exact: true }).fill(numbered("svc", count - 1));
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`service=${numbered("svc", count - 1)}`));
    await page.locator(".result").first().waitFor();
    expect(app.complaints).toEqual([]);
  });
});
