import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";

const asked = (requests: readonly string[]) => requests.filter((path) => path.endsWith("/changes"));

describeApp("what changed", (app) => {
  test("from a service to its changes: times, versions, and the traces of a row", async () => {
    const { page, server } = app;
    await page.goto(`${server.origin}/services?service=payment&lookback=3h`);
    const bodies: { a: { start: number; end: number }; b: { start: number; end: number } }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/changes") && request.method() === "POST") {
        bodies.push(JSON.parse(request.postData() ?? ""));
      }
    });
    await page.getByRole("link", { name: "Changes" }).last().click();
    await page.waitForURL(/\/changes\?service=payment&lookback=3h/);
    await page.getByText("A is 44.0\u00a0ms slower than B on average, and fails more").waitFor();
    const [first] = bodies;
    expect((first?.a.end ?? 0) - (first?.a.start ?? 0)).toBe(3 * 3_600e6);
    expect(first?.b.end).toBe(first?.a.start);

    await page.getByLabel("Value of A").fill("3.1.0");
    await page.getByLabel("Value of B").fill("3.0.9");
    await page.getByLabel("Time of B").selectOption("same");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(/a=3.1.0&b=3.0.9.*against=same/);
    await expect.poll(() => bodies.length, { timeout: 60_000 }).toBe(2);
    expect(bodies[1]).toMatchObject({
      a: { service: "payment", tags: { "service.version": "3.1.0" } },
      b: { service: "payment", tags: { "service.version": "3.0.9" } },
    });
    expect(bodies[1]?.a.start).toBe(bodies[1]?.b.start);

    const attributes = page.getByRole("region", { name: "Attributes that differ" });
    await attributes.getByText("Estimates, from a sample of 20,000 spans").waitFor();
    expect(await attributes.getByRole("row").nth(1).textContent()).toMatch(/service.version = 3.1.0.*≈ 92 %/);
    const few = attributes.getByRole("row", { name: /shop.items/ });
    expect(await few.textContent()).toContain("few");
    expect(await page.getByRole("region", { name: "Calls to others" }).textContent()).toContain("only in A");
    await attributes.getByRole("link", { name: /spans of B with cloud.region = eu-2/ }).click();
    await page.waitForURL(/\/search\?/);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("tags")).toBe("service.version=3.0.9 cloud.region=eu-2");
    expect(searchParams.get("start")).toBe(String(bodies[1]?.b.start));
    await page.goBack();
    await page.getByText("A is 44.0\u00a0ms slower").waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("a search leads there; what is wrong is said at the field, and nothing is asked", async () => {
    const { page, server } = app;
    await page.goto(`${server.origin}/search?service=payment&tags=error%3Dtrue&lookback=15m`);
    await page.getByRole("link", { name: "Compare with the time before" }).click();
    await page.waitForURL(/\/changes\?service=payment&tags=error%3Dtrue&lookback=15m/);
    await page.getByText("A is 44.0\u00a0ms slower").waitFor();
    const before = asked(server.requests).length;
    await page.getByLabel("Time of B").selectOption("same");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("A and B are the same").waitFor();
    await page.getByLabel("Only spans with").fill("region");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("region is not a tag").waitFor();
    expect(asked(server.requests).length).toBe(before);
  });

  test("who may not ask is told so", async () => {
    const { page, server } = app;
    Object.assign(app.answers, { failure: { status: 403, text: "unknown tenant header" } });
    for (const address of ["/changes?service=cart", "/search", "/services", "/exceptions"]) {
      await page.goto(`${server.origin}${address}`);
      await page.getByText("You may not see this").first().waitFor();
    }
  });
});
