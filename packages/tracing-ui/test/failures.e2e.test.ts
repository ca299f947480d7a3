import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { spanItem } from "./span-rows.ts";

const words = { 400: "refused the question", 503: "could not answer", gone: "does not answer" } as const;

describeApp("a query service that does not give what is asked", (app) => {
  /** Pages, what was written on them, what they show when all is well. */
  const pages = [
    {
      ...{ name: "search", sign: ".result", field: "Tags", text: "error=true" },
      address: () => "/search?service=frontend&tags=error%3Dtrue",
    },
    {
      ...{ name: "TraceQL", sign: ".result", field: "TraceQL", text: '{ name = "Charge" }' },
      address: () => "/search?q=%7B%20name%20%3D%20%22Charge%22%20%7D",
    },
    {
      ...{ name: "services", sign: ".rates tbody tr", field: "Filter by name", text: "pay" },
      address: () => "/services?filter=pay&lookback=6h",
    },
    {
      ...{ name: "dependencies", sign: ".graph-node", field: "Time", text: "6h" },
      address: () => "/dependencies?focus=checkout&lookback=6h",
    },
    {
      ...{ name: "trace", sign: spanItem, field: "Filter spans", text: "redis" },
      address: () => `/trace/${app.store.declined.traceID}?q=redis`,
    },
    {
      ...{ name: "compare", sign: ".compare-row", field: "TraceQL of the search", text: "{ }" },
      address: () => `/compare?a=${app.store.declined.traceID}&q=%7B%20%7D`,
    },
  ] as const;

  /** Answers every question of the page by `answer`, until it gives undefined. */
  function intercept(page: Page, answer: (route: Route) => Promise<void> | undefined) {
    return page.route(/\/(api|tempo)\//, (route) => answer(route) ?? route.fallback());
  }

  test.each(pages)("$name: says what failed, keeps what was written, and recovers", async (one) => {
    const { page } = app;
    for (const failure of [400, 503, "gone"] as const) {
      let well = false;
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await intercept(page, (route) => {
        if (well) return undefined;
        if (failure === "gone") return route.abort("connectionrefused");
        const msg = `the store says ${failure}`;
        return route.fulfill({ status: failure, json: { detail: msg, errors: [{ code: failure, msg }] } });
      });
      await page.goto(`${app.server.origin}${one.address()}`);
      await page.getByText(words[failure]).first().waitFor();
      if (failure !== "gone") await page.getByText(`${failure}: the store says ${failure}`).waitFor();
      const address = page.url();
      well = true;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(one.sign).first().waitFor();
      expect(page.url()).toBe(address);
      expect(await page.getByLabel(one.field, { exact: true }).first().inputValue()).toBe(one.text);
    }
    expect(app.complaints).toEqual([]);
  });

  test.each(pages)("$name: waits for a slow answer in sight, and shows it when it comes", async (one) => {
    const { page } = app;
    const gate = Promise.withResolvers<void>();
    await intercept(page, (route) => gate.promise.then(() => route.fallback()));
    await page.goto(`${app.server.origin}${one.address()}`);
    await page
      .getByText(/^(Searching|Fetching|Counting|Comparing)/)
      .first()
      .waitFor({ state: "attached" });
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    // What is around the answer can be used while it is awaited.
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    gate.resolve();
    await page.locator(one.sign).first().waitFor();
    expect(app.complaints).toEqual([]);
  });
});
