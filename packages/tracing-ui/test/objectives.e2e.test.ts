import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { someObjectives } from "./fixtures/objectives-answer.ts";

describeApp("objectives in a browser", (app) => {
  const rows = () => app.page.locator(".objectives tbody tr");
  const open = async (count: number, search = "") => {
    Object.assign(app.answers, { objectives: someObjectives(count) });
    await app.page.goto(`${app.server.origin}/objectives${search}`);
    await rows().first().waitFor();
  };

  test.each([1, 101, 1_500])("%d objectives come in pages from the server", async (count) => {
    await open(count);
    const { page } = app;
    expect(await rows().count()).toBe(Math.min(50, count));
    expect(await page.getByRole("navigation", { name: "Pages of objectives" }).count()).toBe(
      count > 50 ? 1 : 0,
    );
    if (count > 50) {
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText(`51 to 100 of ${count === 101 ? "101" : "1,500"} objectives`).waitFor();
      await page.getByText("objective-0050").waitFor();
      await page
        .getByLabel("Filter by name or service")
        .fill(`objective-${String(count - 1).padStart(4, "0")}`);
      await expect.poll(() => rows().count(), { timeout: 60_000 }).toBe(1);
    }
    expect(app.complaints).toEqual([]);
  });

  test("each state has its words, and no figure is better than it is", async () => {
    await open(6);
    const { page } = app;
    const text = async (index: number) =>
      (await rows().nth(index).locator("td").allTextContents()).join(" ").replaceAll("\u00a0", " ");
    expect(await text(0)).toBe("objective-0000 Missed 99.9 % 30 d 99.86 % used 1.34 times 16.3");
    expect(await text(1)).toBe("objective-0001 Burning 99.9 % 30 d 99.9 % 4.2 % 16.3");
    expect(await text(2)).toContain("Not counted");
    expect(await text(3)).toContain("90 % so far");
    expect(await text(4)).toContain(">99.9 %");
    expect(await text(5)).toBe("objective-0005 No spans 99.9 % 30 d – – –");
    const red = await page.evaluate(
      () => getComputedStyle(document.querySelector(".failed-text") as Element).color,
    );
    expect(
      await rows()
        .nth(0)
        .locator(".objective-state")
        .evaluate((one) => getComputedStyle(one).color),
    ).toBe(red);
    await page.getByLabel("State").selectOption("missed");
    await expect.poll(() => rows().count(), { timeout: 60_000 }).toBe(1);
    expect(app.server.requests.at(-1)).toContain("state=missed");
  });

  test("one is opened by key, with its budget over time, and leads back to the list", async () => {
    await open(101, "?page=2");
    const { page } = app;
    await rows().first().getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "objective-0050" }).waitFor();
    await page.getByRole("img", { name: /Error budget used in this window/ }).waitFor();
    expect(await page.getByRole("table", { name: "Burn rates" }).locator("tbody tr").count()).toBe(5);
    await page.getByText("counted with 304.4 ms").waitFor();
    await page.getByRole("link", { name: "All objectives" }).click();
    await page.getByText("51 to 100 of 101 objectives").waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("without a file the page says how to begin, and a name that is gone is told", async () => {
    const { page, server } = app;
    await page.goto(`${server.origin}/search`);
    await page.getByRole("link", { name: "Objectives", exact: true }).click();
    await page.getByText("No objectives yet").waitFor();
    await page.goto(`${server.origin}/objectives?name=gone`);
    await page.getByText("there is no such objective").waitFor();
  });
});
