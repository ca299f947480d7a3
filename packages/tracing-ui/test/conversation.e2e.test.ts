import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { chatTrace } from "./fixtures/chat-trace.ts";
import { fixtureNowUs } from "./fixtures/shop-store.ts";
import { smallModelPrices } from "./scenes.ts";

describeApp("a conversation with a model in a browser", (app) => {
  const open = async (calls: number) => {
    const trace = chatTrace(fixtureNowUs - 60_000_000, calls);
    Object.assign(app.answers, { traces: [trace] });
    await app.page.goto(`${app.server.origin}/trace/${trace.traceID}?view=conversation`);
    await app.page.locator(".conversation-call").first().waitFor();
  };
  const totals = () => app.page.locator(".conversation-totals").textContent();

  test("has its tokens and cost, and each of 1,500 calls on some page", async () => {
    app.answers.prices = smallModelPrices;
    await open(1_500);
    await expect.poll(totals).toContain("18.00 USD");
    expect(await totals()).toMatch(/1,500 calls with tokens\s*1,500,000 in, 150,000 out/);
    const { page } = app;
    // Text of a traced program is no markup.
    await page.getByText("Question 1 <img src=x>", { exact: true }).waitFor();
    expect(await page.getByText("0.0120 USD").count()).toBeGreaterThan(100);
    for (let turn = 0; turn < 7; turn++) {
      await page.getByRole("button", { name: "Next" }).click();
    }
    await page.getByText("Answer 1500", { exact: true }).waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("says nothing about cost when prices could not be read, and has them after another try", async () => {
    app.answers.prices = { failed: "the file of prices: models.0.input: is no number" };
    await open(2);
    const { page } = app;
    await page.getByText(/Prices of models could not be read: .*models\.0\.input/).waitFor();
    expect(await page.getByText("no price").count()).toBe(0);
    app.answers.prices = smallModelPrices;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(totals).toContain("0.0240 USD");
  });

  test("says that no model has a price where the server has no prices", async () => {
    await open(1);
    await expect.poll(totals).toContain("no price");
  });
});
