import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { someViews } from "./fixtures/fixture-views.ts";

describeApp("sharing", (app) => {
  test("makes a link; saves, finds, pages, renames, replaces and deletes views", async () => {
    const { page, server } = app;
    const views = someViews(101);
    app.answers.views = views;
    await page.goto(`${server.origin}/search?service=frontend`);
    await page.getByRole("button", { name: "Share", exact: true }).click();

    await page.getByRole("button", { name: "Make a short link" }).click();
    const link = page.getByRole("textbox", { name: "Short link" });
    await expect.poll(() => link.inputValue()).toBe(`${server.origin}/s/1f0c2a9b8d7e`);

    await page.getByText("1 to 20 of 101 views").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("view 0021").waitFor();

    const name = page.getByLabel("Name of the view");
    await name.fill("slow carts");
    await page.getByLabel("Note on the view").fill("after the release");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved as “slow carts”.").waitFor();
    expect(views.find((view) => view.name === "slow carts")).toMatchObject({
      address: expect.stringMatching(/^\/search\?.*service=frontend/),
      note: "after the release",
    });

    await name.fill("view 0001");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Replace" }).waitFor();
    expect(views.find((view) => view.name === "view 0001")?.note).toBe("slow since the last release");

    await page.getByLabel("Filter the saved views").fill("carts");
    await page.getByText("view 0021").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Rename: slow carts" }).click();
    const newName = page.getByLabel("New name of slow carts");
    await newName.fill("view 0002");
    await newName.press("Enter");
    await page.getByText("there is a view of this name, choose another").waitFor();
    await newName.fill("fast carts");
    await newName.press("Enter");
    await page.getByRole("link", { name: "fast carts" }).waitFor();
    expect(views.some((view) => view.name === "slow carts")).toBe(false);

    await page.getByRole("button", { name: "Delete: fast carts" }).click();
    expect(views).toHaveLength(102);
    await page.getByRole("button", { name: "Delete for all: fast carts" }).click();
    await page.getByText("No view has “carts” in it.").waitFor();
    expect(views).toHaveLength(101);
    expect(app.complaints).toEqual([]);
  });

  test("searches saved in this browser move to a server that keeps views, where all see them", async () => {
    const views = [{ name: "slow", address: "/search?service=cart", note: "", saved: 0 }];
    const { page, server } = app;
    app.answers.views = views;
    await page.goto(`${server.origin}/search?service=cart`);
    await page.evaluate(() => {
      const saved = [
        { name: "slow", address: "service=payment" },
        { name: "mine", address: "service=frontend" },
      ];
      localStorage.setItem("tracing.searches", JSON.stringify({ recent: [], saved }));
    });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByText("Saved for all").waitFor();
    await page.getByRole("button", { name: /^mine/ }).waitFor();
    expect(views.map(({ name }) => name)).toEqual([
      "mine",
      "slow",
      expect.stringMatching(/^slow \(moved from a browser/),
    ]);
    await page.getByLabel("Name for this search").fill("mine");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Replace" }).click();
    await expect.poll(() => views.find(({ name }) => name === "mine")?.address).toContain("service=cart");
    await page.getByRole("button", { name: "Remove mine" }).click();
    expect(views).toHaveLength(3);
    await page.getByRole("button", { name: "Delete for all: mine" }).click();
    await expect.poll(() => views.length).toBe(2);
    expect(app.complaints).toEqual([]);
  });

  test("an address that looks like a scheme stays on this server", async () => {
    const { page, server } = app;
    app.answers.views = [{ name: "odd", address: "/javascript:alert(1)", note: "", saved: 0 }];
    await page.goto(`${server.origin}/services`);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const odd = page.getByRole("link", { name: "odd" });
    expect(await odd.evaluate((element: HTMLAnchorElement) => element.href)).toBe(
      `${server.origin}/javascript:alert(1)`,
    );
  });
});
