import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { spanItem } from "./span-rows.ts";

describeApp("settings of Jaeger's UI", (app) => {
  const colours = () => app.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

  test("a frame has the theme of the page around it, and keeps none for later", async () => {
    const { page, server, store } = app;
    await page.emulateMedia({ colorScheme: "light" });
    const address = `${server.origin}/trace/${store.declined.traceID}`;
    await page.goto(`${address}?uiEmbed=v0&uiTheme=dark`);
    await page.locator(spanItem).first().waitFor();
    expect(await colours()).toBe("dark");
    expect(await page.evaluate(() => localStorage.getItem("ui.theme"))).toBeNull();
    await page.goto(`${address}?uiTheme=dark`);
    await page.locator(spanItem).first().waitFor();
    expect(await colours()).not.toBe("dark");
    expect(app.complaints).toEqual([]);
  });

  test("a link with chosen services shows those, as a filter that can be read and changed", async () => {
    const { page, server, store } = app;
    const names = [...new Set(Object.values(store.declined.processes).map(({ serviceName }) => serviceName))];
    names.sort();
    const text = names.join("\0");
    let sum = 0x811c;
    for (let at = 0; at < text.length; at += 1) {
      sum = Math.imul(sum ^ text.charCodeAt(at), 0x0101) & 0xffff;
    }
    const mask = 1 << names.indexOf("payment");
    const filter = `${sum.toString(16).padStart(4, "0")}.${mask.toString(16)}`;
    await page.goto(`${server.origin}/trace/${store.declined.traceID}?svcFilter=${filter}`);
    await page.locator(spanItem).first().waitFor();
    expect(await page.getByLabel("Filter spans", { exact: true }).inputValue()).toBe("service=payment");
    await page.waitForURL(/q=service/);
    expect(await page.getByRole("treeitem", { name: /^payment: / }).count()).toBeGreaterThan(0);
    expect(app.complaints).toEqual([]);
  });

  test("the configuration takes pages, themes and the critical path away, and ends a search earlier", async () => {
    const { page, server, store } = app;
    const config = {
      ...{ monitor: { menuEnabled: false }, themes: { enabled: false }, criticalPathEnabled: false },
      search: { adjustEndTime: "1m" },
    };
    await page.route(/page-facts\.js$/, async (route) => {
      const script = await (await route.fetch()).text();
      const body = script.replace(
        "const DEFAULT_CONFIG = null;",
        `const DEFAULT_CONFIG = ${JSON.stringify(config)};`,
      );
      await route.fulfill({ body, contentType: "text/javascript" });
    });
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`);
    await page.locator(spanItem).first().waitFor();
    const bar = page.locator(".top-bar");
    expect(await bar.getByRole("link", { name: "Services" }).count()).toBe(0);
    expect(await bar.getByRole("link", { name: "Dependencies" }).count()).toBe(1);
    expect(await page.getByRole("radio", { name: "Dark theme" }).count()).toBe(0);
    expect(await page.getByRole("radio", { name: "Times in UTC" }).count()).toBe(1);
    expect(await page.getByRole("link", { name: "Critical path" }).count()).toBe(0);
    const asked = page.waitForRequest(/\/api\/traces\?/);
    await page.goto(`${server.origin}/search?service=frontend&lookback=15m`);
    const { searchParams } = new URL((await asked).url());
    const nowUs = 1_000 * (await page.evaluate(() => Date.now()));
    expect(nowUs - Number(searchParams.get("end"))).toBeGreaterThanOrEqual(60e6);
    expect(Number(searchParams.get("end")) - Number(searchParams.get("start"))).toBe(900e6);
    await page.unroute(/page-facts\.js$/);
    expect(app.complaints).toEqual([]);
  });
});
