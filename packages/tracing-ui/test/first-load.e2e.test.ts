import { expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { watchLoadedFiles } from "./loaded-files.ts";
import { spanItem } from "./span-rows.ts";

describeApp("the first load", (app) => {
  test.each([
    ["/search", ".result"],
    ["/services", ".rates tbody tr"],
    ["/services?service=payment", ".rate-plot path"],
    ["/dependencies", ".graph-node"],
    ["/dependencies?focus=payment&view=table", ".rates tbody tr"],
    ["/compare", ".notice"],
  ])("of %s is at most 161 kB of gzip, and all of the app at most 400", async (address, sign) => {
    const bytes = watchLoadedFiles(app.context, app.folder);
    await app.page.goto(`${app.server.origin}${address}`);
    await app.page.locator(sign).first().waitFor();
    const { loaded, all } = bytes();
    // Less than React alone would mean that nothing was watched.
    expect(loaded).toBeGreaterThan(100_000);
    expect(loaded).toBeLessThanOrEqual(161_000);
    expect(all).toBeLessThanOrEqual(400_000);
  });

  test("a trace, and the files of its page, are asked for while the app is still on its way", async () => {
    const { page, server, store } = app;
    const gate = Promise.withResolvers<void>();
    await page.route(/\/static\/index-.*\.js$/, (route) => gate.promise.then(() => route.continue()));
    const early = ["trace-page-.*\\.js", "trace-page-.*\\.css", `api/traces/${store.declined.traceID}`].map(
      (name) => page.waitForRequest(new RegExp(`/${name}$`)),
    );
    await page.goto(`${server.origin}/trace/${store.declined.traceID}`, { waitUntil: "commit" });
    await Promise.all(early);
    gate.resolve();
    await page.locator(spanItem).first().waitFor();
    expect(server.requests.filter((path) => path.startsWith("/api/traces/"))).toHaveLength(1);
    expect(app.complaints).toEqual([]);
  });
});
