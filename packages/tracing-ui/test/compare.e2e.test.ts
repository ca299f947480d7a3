import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";

describeApp("the compare page in a browser", (app) => {
  test("from a trace to its difference from the median, in any order, and to a span", async () => {
    const { page, store } = app;
    await page.goto(`${app.server.origin}/trace/${store.declined.traceID}`);
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByText("Median of 20 traces").waitFor();
    const rows = page.locator(".compare-row");
    expect(await rows.count()).toBeGreaterThan(8);
    const changes = await page
      .locator(".compare-bar")
      .evaluateAll((bars) => bars.map((bar) => Number.parseFloat((bar as HTMLElement).style.width)));
    expect(changes).toEqual(changes.toSorted((a, b) => b - a));
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("link", { name: "Structure" }).click();
    await page.locator('.link-switch [aria-current="page"]', { hasText: "Structure" }).waitFor();
    expect(new URL(page.url()).search).toContain("order=structure");
    expect(await rows.first().textContent()).toContain("POST /orders");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.locator(".compare-name a:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/trace\/.*span=/);
    await page.locator(".span-detail").waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("two traces by their ids; what is no id, or not there, is said", async () => {
    const { page, store } = app;
    await page.goto(`${app.server.origin}/compare`);
    await page.getByText("Which part of a trace is unusual?").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel("A trace", { exact: true }).fill("what?");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("A needs a trace id").waitFor();
    await page.getByLabel("A trace", { exact: true }).fill(store.declined.traceID);
    await page.getByLabel("B another trace").check();
    await page.getByLabel("B trace", { exact: true }).fill(store.broken.traceID);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(`**/compare?a=${store.declined.traceID}&b=${store.broken.traceID}`);
    await page.getByText("only in A").first().waitFor();
    await page.goto(`${app.server.origin}/compare?a=dead`);
    await page.getByText("One of these traces is not in the store").waitFor();
  });
});
