import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { fixtureNowUs } from "./fixtures/shop-store.ts";
import { wideTrace } from "./fixtures/wide-trace.ts";

/** Two requests through 180 services. */
const wide = wideTrace(fixtureNowUs - 9_000_000, 180, 1_500);
const other = wideTrace(fixtureNowUs - 9_000_000, 180, 1_500, 4);

describeApp("traces through 180 services", (app) => {
  test("all services of a found trace can be read, filtered and opened", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.goto(`${server.origin}/search`);
    const row = page.locator(".result");
    await row.getByRole("button", { name: /^\+16[0-9] of 180 services of team-0-service-000/ }).click();
    const menu = page.locator("#service-menu");
    await menu.getByText("180 services of team-0-service-000").waitFor();
    await menu.getByText("1 to 100 of 180 services").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await menu.getByRole("button", { name: "Next" }).click();
    await menu.getByText("101 to 180 of 180 services").waitFor();
    await menu.getByLabel("Filter services").fill("service-17");
    expect(await menu.getByRole("listitem").count()).toBe(10);
    await menu.getByLabel("Filter services").fill("no such");
    await menu.getByText("No service has such a name.").waitFor();
    await menu.getByLabel("Filter services").fill("service-179");
    await menu.getByRole("link", { name: "team-11-service-179" }).click();
    await page.waitForURL(/\/trace\/[0-9a-f]+\?q=team-11-service-179/);
    expect(app.complaints).toEqual([]);
  });

  test("the legend opens all services, also in a narrow window, and narrows the search", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.goto(`${server.origin}/search`);
    await page.getByRole("button", { name: "+168 of 180 services of these traces" }).click();
    const menu = page.locator("#service-menu");
    await menu.getByLabel("Filter services").fill("service-000");
    await menu.getByRole("link", { name: "team-0-service-000" }).click();
    await page.waitForURL(/service=team-0-service-000/);
    await page.setViewportSize({ width: 800, height: 900 });
    await page.goto(`${server.origin}/search`);
    const all = page.locator(".result").getByRole("button", { name: /^180 services/ });
    await all.click();
    await menu.getByText("180 services of").waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("no two services of a trace look alike", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.goto(`${server.origin}/trace/${wide.traceID}`);
    const marks = page.locator(".trace-legend .service-mark");
    await marks.first().waitFor();
    for (const patterns of ["off", "on"]) {
      const looks = await marks.evaluateAll((all) =>
        all.map((mark) => {
          const { backgroundColor, backgroundImage, backgroundSize } = getComputedStyle(mark);
          return [backgroundColor, backgroundImage, backgroundSize].join(" ");
        }),
      );
      expect(looks.length).toBe(180);
      expect(new Set(looks).size, `patterns ${patterns}`).toBe(180);
      await page.getByRole("button", { name: "Patterns" }).click();
    }
  });

  test("Tab passes the services of a trace in one step; arrows go from one to the next", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.goto(`${server.origin}/trace/${wide.traceID}`);
    const services = page.locator(".trace-legend button[tabindex]");
    await services.first().focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const first = await focused();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).toBe(await services.nth(1).textContent());
    await page.keyboard.press("End");
    expect(await focused()).toBe(await services.nth(179).textContent());
    await page.keyboard.press("Home");
    expect(await focused()).toBe(first);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Patterns");
    await page.keyboard.press("Shift+Tab");
    expect(await focused()).toBe(first);
    await page.keyboard.press("Enter");
    await page.getByText(/\d+ matches/).waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("the graph begins around the root, goes on by clicks, and is drawn whole on demand", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.goto(`${server.origin}/trace/${wide.traceID}?view=graph`);
    await page.getByText(/^\d+ of 180 services, around team-0-service-000/).waitFor();
    const nodes = page.locator(".graph-node");
    expect(await nodes.count()).toBeLessThanOrEqual(40);
    expect(await nodes.first().textContent()).toContain("team-0-service-000");
    expect(await violationsOn(page)).toEqual([]);
    const next = await nodes.nth(3).locator(".cut-name").first().textContent();
    await nodes.nth(3).click();
    await page.getByText(new RegExp(`services, around ${next}`)).waitFor();
    expect(new URL(page.url()).searchParams.get("at")).toMatch(/^[0-9a-f]{16}$/);
    await page.getByRole("link", { name: "Show all 180" }).click();
    // A worker lays the whole graph out; the page answers meanwhile.
    await page.getByText(/^180 services, [\d,]+ ways between them/).waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".graph-node").length === 180);
    await page.getByRole("link", { name: "Show a part" }).click();
    await page.getByText(new RegExp(`services, around ${next}`)).waitFor();
    await nodes.first().click();
    await page.locator(".waterfall-tree").waitFor();
    expect(app.complaints).toEqual([]);
  });

  test.each([
    ["/compare?a={a}&b={b}", ".compare-row"],
    ["/compare?a={a}&b={b}&order=structure", ".compare-row"],
    ["/trace/{a}?view=statistics", ".statistics tbody tr"],
  ])("%s draws rows as far as the user goes, and all on demand", async (pattern, sign) => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide, other] });
    await page.goto(server.origin + pattern.replace("{a}", wide.traceID).replace("{b}", other.traceID));
    const rows = page.locator(sign);
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(200);
    const left = page.locator(".growing-end");
    // Read at once: the list may grow at any time.
    const { drawn, more } = await left.evaluate(
      (end, name) => ({
        drawn: document.querySelectorAll(name).length,
        more: Number(end.textContent.replace(/\D/g, "")),
      }),
      sign,
    );
    await rows.last().evaluate((row) => row.scrollIntoView());
    await page.waitForFunction(([name, count]) => document.querySelectorAll(name).length > count, [
      sign,
      drawn,
    ] as const);
    await left.getByRole("button", { name: "Show all" }).click();
    await left.waitFor({ state: "detached" });
    expect(await rows.count()).toBe(more + drawn);
    expect(app.complaints).toEqual([]);
  });

  test("a print has all rows of a long list, in full length", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.goto(`${server.origin}/trace/${wide.traceID}?view=statistics`);
    await page.locator(".growing-end").waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await page.locator(".growing-end").waitFor({ state: "detached" });
    await page.emulateMedia({ media: "print" });
    const [list, whole] = await page
      .locator(".statistics-scroll")
      .evaluate((scroller) => [scroller.clientHeight, scroller.scrollHeight]);
    expect(list).toBe(whole);
    expect(list).toBeGreaterThan(5_000);
    await page.emulateMedia({ media: null });
  });

  test("a print of the waterfall has all rows and the open details, and the screen has them no more", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    const span = wide.spans[1]?.spanID;
    await page.goto(`${server.origin}/trace/${wide.traceID}?runs=all&open=${span}`);
    await page.locator(".waterfall-tree [role=treeitem]").first().waitFor();
    const printed = page.locator(".printed-row:not(.printed-scale)");
    expect(await printed.count()).toBe(0);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    expect(await printed.count()).toBe(1_500);
    expect(await printed.last().isVisible()).toBe(true);
    expect(await page.locator(".waterfall canvas").isVisible()).toBe(false);
    expect(await page.locator(".printed-rows .span-detail").count()).toBe(1);
    const bar = await printed.nth(1).locator(".printed-bar").boundingBox();
    expect(bar?.width).toBeGreaterThan(2);
    const [drawn, whole] = await page.evaluate(() => [
      document.querySelector(".printed-rows")?.clientHeight,
      document.documentElement.scrollHeight,
    ]);
    expect(whole).toBeGreaterThanOrEqual(drawn as number);
    expect(drawn).toBeGreaterThan(20_000);
    await page.emulateMedia({ media: null });
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await printed.first().waitFor({ state: "detached" });
    expect(app.complaints).toEqual([]);
  });

  test("a dark page is printed with a light waterfall", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { traces: [wide] });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${server.origin}/trace/${wide.traceID}`);
    await page.locator(".waterfall-tree [role=treeitem]").first().waitFor();
    /** The mean brightness of the canvas, 0 to 255. Most of it is ground. */
    const ground = () =>
      page.locator(".waterfall canvas").evaluate((canvas) => {
        const small = new OffscreenCanvas(1, 1).getContext("2d");
        small?.drawImage(canvas as HTMLCanvasElement, 0, 0, 1, 1);
        return small?.getImageData(0, 0, 1, 1).data[1] ?? -1;
      });
    await expect.poll(ground, { timeout: 60_000 }).toBeLessThan(100);
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    await expect.poll(ground, { timeout: 60_000 }).toBeGreaterThan(180);
    await page.emulateMedia({ media: null, colorScheme: null });
  });
});
