import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";

describeApp("notes", (app) => {
  test("are written on a span and a trace, shown in the tree and the panel, and deleted", async () => {
    const { page, server, store } = app;
    app.answers.notes = [];
    const charge = store.declined.spans.find(({ operationName }) => operationName === "Charge")?.spanID;
    await page.goto(`${server.origin}/trace/${store.declined.traceID}?open=${charge}&panel=notes`);
    await page.getByRole("button", { name: "Write a note" }).click();
    await page.getByLabel("Note on this span").fill("waits for the bank");
    await page.getByLabel("Your name").first().fill("Kim");
    await page.getByLabel("Note on this span").press("Control+Enter");
    await page.getByRole("treeitem", { name: /payment: Charge.*, 1 note/ }).waitFor();
    expect(app.answers.notes).toMatchObject([{ spanId: charge, text: "waits for the bank", author: "Kim" }]);

    const panel = page.getByRole("complementary", { name: "Notes" });
    await panel.getByLabel("Note on this trace").fill("since 3.1.0");
    await panel.getByRole("button", { name: "Save note" }).click();
    await panel.getByText("The whole trace").waitFor();
    expect(app.answers.notes[1]).toMatchObject({ spanId: "", text: "since 3.1.0" });
    await panel.getByRole("button", { name: /payment Charge/ }).click();
    await expect.poll(() => page.url()).toContain(`span=${charge}`);

    await panel.getByRole("button", { name: "Delete: since 3.1.0" }).click();
    expect(app.answers.notes).toHaveLength(2);
    await panel.getByRole("button", { name: "Delete for all: since 3.1.0" }).click();
    await panel.getByText("since 3.1.0").waitFor({ state: "detached" });
    expect(app.answers.notes).toHaveLength(1);
    expect(app.complaints).toEqual([]);
  });

  test("nothing speaks of notes where the server keeps none", async () => {
    const { page, server, store } = app;
    await page.goto(
      `${server.origin}/trace/${store.declined.traceID}?open=${store.declined.spans[0]?.spanID}`,
    );
    await page.locator(".span-detail").waitFor();
    await expect
      .poll(() => server.requests.some((path) => path.startsWith("/api/analysis/v1/notes")))
      .toBe(true);
    expect(await page.getByText("note", { exact: false }).count()).toBe(0);
  });
});
