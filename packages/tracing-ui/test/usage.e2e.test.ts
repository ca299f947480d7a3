import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { watchLoadedFiles } from "./loaded-files.ts";

describeApp("usage in a browser", (app) => {
  const rows = () => app.page.locator(".usage[aria-label=Services] tbody tr");
  const textOf = async (index: number) =>
    (await rows().nth(index).locator("td").allTextContents()).join(" ").replaceAll("\u00a0", " ");

  test.each([1, 101, 1_500])("%d services come in pages from the server", async (count) => {
    app.answers.usage = count;
    const { page, server } = app;
    await page.goto(`${server.origin}/usage`);
    await rows().first().waitFor();
    expect(await rows().count()).toBe(Math.min(50, count));
    if (count > 50) {
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText(`51 to 100 of ${count === 101 ? "101" : "1,500"} services`).waitFor();
      await page.getByLabel("Filter by service").fill(`service-${String(count - 1).padStart(4, "0")}`);
      await expect.poll(() => rows().count(), { timeout: 60_000 }).toBe(1);
      // The last service is not in the sample, so the cell has a word instead of a figure.
      expect(await textOf(0)).toContain("not sampled");
    }
    expect(app.complaints).toEqual([]);
  });

  test("an estimate never looks like a measurement, and what nobody seeks is said", async () => {
    app.answers.usage = 3;
    const { page, server } = app;
    await page.goto(`${server.origin}/usage`);
    await rows().first().waitFor();
    expect(await textOf(0)).toBe("service-0000 1,000,000 ≈ 1.2 GB none");
    expect(await textOf(1)).toContain("999,400");
    expect(await page.locator(".services-note").textContent()).toContain(
      "estimated from 4,312 spans of the newest 100 traces",
    );
    const estimates = await page.locator(".usage-estimate").allTextContents();
    expect(estimates.length).toBeGreaterThan(40);
    for (const text of estimates) {
      expect(text).toMatch(/^(≈|not sampled)/);
    }
    expect(app.complaints).toEqual([]);
  });

  test("a server that counts none says how to switch it on", async () => {
    app.answers.usage = undefined;
    const { page, server } = app;
    await page.goto(`${server.origin}/usage`);
    await page.getByText("--query.usage.enabled").waitFor();
  });

  test("its files are loaded on its own page only", async () => {
    app.answers.usage = 3;
    const { page, server } = app;
    const bytes = watchLoadedFiles(app.context, app.folder);
    await page.goto(`${server.origin}/usage`);
    await rows().first().waitFor();
    const { loaded, all } = bytes();
    expect(loaded).toBeLessThanOrEqual(160_000);
    expect(all).toBeLessThanOrEqual(400_000);
  });
});
