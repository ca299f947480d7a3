import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { watchLoadedFiles } from "./loaded-files.ts";

describeApp("calls of models in a browser", (app) => {
  const rows = () => app.page.locator(".models tbody tr");
  const textOf = async (index: number) =>
    (await rows().nth(index).locator("td").allTextContents()).join(" ").replaceAll("\u00a0", " ");
  const open = async (address = "/models") => {
    await app.page.goto(`${app.server.origin}${address}`);
    await rows().first().waitFor();
  };

  test.each([1, 101, 1_500])("%d models come in pages from the server", async (count) => {
    app.answers.genAi = count;
    const { page } = app;
    await open();
    expect(await rows().count()).toBe(Math.min(50, count));
    if (count > 50) {
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText(`51 to 100 of ${count === 101 ? "101" : "1,500"} groups`).waitFor();
      await page.getByLabel("Filter by name").fill(`model-${String(count - 1).padStart(4, "0")}`);
      await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(1);
    }
    expect(app.complaints).toEqual([]);
  });

  test("a row has its figures; what has no price and what names no model is said", async () => {
    app.answers.genAi = 3;
    const { page } = app;
    await open();
    expect(await textOf(0)).toBe("model-0000 10,000 0 4,000,000 90,000 10.90 USD 812 ms 4.70 s 240 ms");
    expect(await textOf(1)).toContain("no model named");
    expect(await textOf(2)).toContain(" – ");
    expect(await page.locator(".models-sum").textContent()).toContain(
      "without 4,090,000 of 12,268,497 tokens that have no price",
    );
    expect(await page.locator(".rate-chart").count()).toBe(4);
    expect(await violationsOn(page)).toEqual([]);
    expect(app.complaints).toEqual([]);
  });

  test("a name narrows the page down, the address keeps it, and a button takes it away", async () => {
    app.answers.genAi = 3;
    const { page } = app;
    await open();
    await page.getByRole("button", { name: "model-0000" }).click();
    await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(1);
    await page.getByLabel("Group by").selectOption("user");
    await page.waitForURL(/by=user/);
    expect(new URL(page.url()).searchParams.get("model")).toBe("model-0000");
    await page.getByRole("button", { name: "Any model" }).click();
    await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(3);
    await page.getByRole("link", { name: "Traces", exact: true }).click();
    await page.waitForURL(/\/search\?q=/);
  });

  test("no calls, and a store that cannot count them, are told apart", async () => {
    app.answers.genAi = 0;
    const { page, server } = app;
    await page.goto(`${server.origin}/models`);
    await page.getByText("No call of a model in this time").waitFor();
    app.answers.genAi = undefined;
    await page.goto(`${server.origin}/models?by=user`);
    await page.getByText("This server counts no calls of models").waitFor();
  });

  test("its files are loaded on its own page only, and it fits a phone", async () => {
    app.answers.genAi = 101;
    const { page } = app;
    const bytes = watchLoadedFiles(app.context, app.folder);
    await page.setViewportSize({ width: 360, height: 780 });
    await open("/models?by=agent");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(360);
    const { loaded, all } = bytes();
    expect(loaded).toBeLessThanOrEqual(160_000);
    expect(all).toBeLessThanOrEqual(400_000);
  });
});
