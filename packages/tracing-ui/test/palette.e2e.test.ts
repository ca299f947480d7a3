import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { rowCount, spanItem } from "./span-rows.ts";

describeApp("the command palette in a browser", (app) => {
  const palette = () => app.page.getByRole("dialog", { name: "Commands" });
  const options = () => palette().getByRole("option");
  const open = async () => {
    await app.page.keyboard.press("Control+k");
    await options().first().waitFor();
  };

  test("leads to pages, services, a trace by its id and a TraceQL search, with the keyboard alone", async () => {
    const { page, store } = app;
    await page.goto(`${app.server.origin}/services`);
    await page.locator(".rates tbody tr").first().waitFor();
    await open();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.type("payment rates");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/services\?service=payment/);
    await palette().waitFor({ state: "detached" });
    await open();
    await page.keyboard.type("compare");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/compare");
    // Also from a field.
    await page.getByLabel("A trace", { exact: true }).focus();
    await open();
    await page.keyboard.type('{ name = "Charge" }');
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/search\?q=/);
    await page.locator(".result").first().waitFor();
    await open();
    await page.keyboard.insertText(`trace_id=${store.declined.traceID}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/trace/${store.declined.traceID}`);
    expect(app.complaints).toEqual([]);
  });

  test("does what the page offers, and nothing that it does not", async () => {
    const { page, store } = app;
    await page.goto(`${app.server.origin}/trace/${store.declined.traceID}`);
    await page.locator(spanItem).first().waitFor();
    await open();
    await page.keyboard.type("flame");
    await page.keyboard.press("Enter");
    await page.waitForURL(/view=flame/);
    await page.locator(".flame-box").first().waitFor();
    await open();
    await page.keyboard.type("fold all");
    await page.getByText("Nothing of that name").waitFor();
    await page.keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });
    await page.goBack();
    await page.locator(spanItem).first().waitFor();
    await open();
    await page.keyboard.type("fold all");
    await page.keyboard.press("Enter");
    await expect.poll(() => rowCount(page)).toBe(1);
    await open();
    await page.keyboard.type("filter spans");
    await page.keyboard.press("Enter");
    await page.keyboard.type("redis");
    await page.waitForURL(/q=redis/);
  });

  test("runs saved and recent searches, changes the theme, shows the keys", async () => {
    const { page } = app;
    await page.goto(`${app.server.origin}/search`);
    await page.evaluate(() =>
      localStorage.setItem(
        "tracing.searches",
        JSON.stringify({
          recent: ["service=cart&tags=error%3Dtrue"],
          saved: [{ name: "slow checkouts", address: "service=checkout&minDuration=100ms" }],
        }),
      ),
    );
    await page.locator(".result").first().waitFor();
    await page.getByRole("button", { name: "Show all commands" }).click();
    await options().first().waitFor();
    await page.keyboard.type("slow");
    await page.keyboard.press("Enter");
    await page.waitForURL(/service=checkout&minDuration=100ms/);
    await open();
    await options().filter({ hasText: "cart error=true" }).click();
    await page.waitForURL(/service=cart/);
    await open();
    await page.keyboard.type("dark");
    await page.keyboard.press("Enter");
    await page.locator(':root[data-theme="dark"]').waitFor();
    await open();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.type("keys");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await open();
    expect(await page.getByRole("dialog", { name: "Keys" }).count()).toBe(0);
    expect(app.complaints).toEqual([]);
  });
});
