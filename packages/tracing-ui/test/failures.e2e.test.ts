import type { Page, Route } from "playwright-core";
import { violationsOn } from "ui-kit/testing/axe.ts";
import { beforeEach, expect, test } from "vitest";
import { describeApp } from "./app-session.ts";
import { someObjectives } from "./fixtures/objectives-answer.ts";
import { lacking } from "./scenes.ts";
import { spanItem } from "./span-rows.ts";

const words = {
  400: "refused the question",
  403: "You may not see this",
  503: "could not answer",
  gone: "does not answer",
} as const;

/** Pages that axe looks at: three unlike each other, since each look takes more than a second. */
const looked = { waits: "trace", 403: "dependencies", 503: "search" } as const;

const stay = async () => {};

describeApp("a query service that does not give what is asked", (app) => {
  beforeEach(() => {
    app.answers.objectives = someObjectives(7);
  });

  /** Pages, what was written on them, what they show when all is well. */
  const pages = [
    {
      ...{ name: "search", sign: ".result", field: "Tags", text: "error=true" },
      address: () => "/search?service=frontend&tags=error%3Dtrue",
    },
    {
      ...{ name: "TraceQL", sign: ".result", field: "TraceQL", text: '{ name = "Charge" }' },
      address: () => "/search?q=%7B%20name%20%3D%20%22Charge%22%20%7D",
    },
    {
      ...{ name: "services", sign: ".rates tbody tr", field: "Filter by name", text: "pay" },
      address: () => "/services?filter=pay&lookback=6h",
    },
    {
      ...{
        name: "objectives",
        sign: ".objectives tbody tr",
        field: "Filter by name or service",
        text: "objective-0",
      },
      address: () => "/objectives?filter=objective-0",
    },
    {
      ...{ name: "dependencies", sign: ".graph-node", field: "Time", text: "6h" },
      address: () => "/dependencies?focus=checkout&lookback=6h",
    },
    {
      ...{ name: "table of dependencies", sign: ".rates tbody tr", field: "Filter by name", text: "pay" },
      address: () => "/dependencies?view=table&filter=pay&lookback=6h",
    },
    {
      ...{ name: "trace", sign: spanItem, field: "Filter spans", text: "redis" },
      address: () => `/trace/${app.store.declined.traceID}?q=redis`,
    },
    {
      ...{ name: "compare", sign: ".compare-row", field: "TraceQL of the search", text: "{ }" },
      address: () => `/compare?a=${app.store.declined.traceID}&q=%7B%20%7D`,
    },
  ] as const;

  /** Answers every question of the page by `answer`, until it gives undefined. */
  function intercept(page: Page, answer: (route: Route) => Promise<void> | undefined) {
    return page.route(/\/(api|tempo)\//, (route) => answer(route) ?? route.fallback());
  }

  test("trying again also asks anew what is still on its way, and may yet fail", async () => {
    const { page, server } = app;
    const held = Promise.withResolvers<void>();
    const clicked = Promise.withResolvers<void>();
    let well = false;
    let searches = 0;
    const refuse = (route: Route) => route.fulfill({ status: 503, body: "the store is starting" });
    await intercept(page, (route) => {
      const url = route.request().url();
      const isSearch = url.includes("/tempo/api/search?");
      searches += isSearch ? 1 : 0;
      if (isSearch && searches === 2) {
        held.resolve();
        return clicked.promise.then(() => refuse(route));
      }
      return well || url.includes("/capabilities") ? undefined : refuse(route);
    });
    await page.goto(`${server.origin}/search`);
    await page.getByText("the store is starting").waitFor();
    await held.promise;
    well = true;
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("the store is starting").waitFor({ state: "detached" });
    clicked.resolve();
    await page.locator(".result").first().waitFor();
  });

  test.each(pages)("$name: says what failed, keeps what was written, and recovers", async (one) => {
    const { page } = app;
    for (const failure of [400, 403, 503, "gone"] as const) {
      let well = false;
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await intercept(page, (route) => {
        if (well) {
          return undefined;
        }
        if (failure === "gone") {
          return route.abort("connectionrefused");
        }
        const msg = `the store says ${failure}`;
        return route.fulfill({ status: failure, json: { detail: msg, errors: [{ code: failure, msg }] } });
      });
      await page.goto(`${app.server.origin}${one.address()}`);
      await page.getByText(words[failure]).first().waitFor();
      if (failure !== "gone") {
        await page.getByText(`${failure}: the store says ${failure}`).waitFor();
      }
      if ((failure === 403 || failure === 503) && looked[failure] === one.name) {
        expect(await violationsOn(page), `${failure}`).toEqual([]);
      }
      const address = page.url();
      well = true;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(one.sign).first().waitFor();
      expect(page.url()).toBe(address);
      const field = page.getByLabel(one.field, { exact: true }).first();
      // The editor of TraceQL is no field of a form.
      const text = one.name === "TraceQL" ? field.textContent() : field.inputValue();
      expect(await text).toBe(one.text);
    }
    expect(app.complaints).toEqual([]);
  });

  test("a part of a page that is loaded after the refusal says so, too", async () => {
    const { page, server } = app;
    app.answers.failure = { status: 403, text: "this tenant is not yours" };
    const refused = Promise.withResolvers<void>();
    page.on("requestfinished", async (request) => {
      if (request.url().includes("/api/analysis/v1/dependencies")) {
        refused.resolve();
      }
    });
    await page.route(/dependency-table-[^/]*\.js$/, async (route) => {
      await refused.promise;
      // The page takes the refusal in before the file arrives.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50))));
      await route.continue();
    });
    await page.goto(`${server.origin}/dependencies?view=table`);
    await page.getByText("this tenant is not yours").waitFor();
    expect(await page.getByText("Counting calls").count()).toBe(0);
  });

  /** A question of a page that alone is refused: where, what is done there, which, what is named as not read. */
  const parts: [
    where: string,
    act: (page: Page) => Promise<void>,
    question: RegExp,
    what: RegExp | string,
  ][] = [
    ["/trace/", stay, /\/percentiles\//, "Percentiles of spans could not be read: refused"],
    ["/trace/", stay, /\/v1\/notes/, "Notes on this trace could not be read: refused"],
    ["/dependencies?focus=checkout", stay, /\/capabilities/, "Figures of calls could not be read: refused"],
    ["/search?live=1", stay, /\/v1\/tail/, "Not following"],
    [
      "/search?service=frontend",
      (page) => page.getByRole("button", { name: "More" }).click(),
      ...([/\/v1\/views/, "Saved searches could not be read: refused"] as const),
    ],
    [
      "/search?service=frontend",
      (page) => page.getByLabel("Tags").click(),
      ...([/\/v1\/attributes/, "Names and values could not be read: refused"] as const),
    ],
    [
      "/changes?service=checkout",
      (page) => page.getByLabel("Value of A").click(),
      ...([/\/v1\/attributes/, "The values could not be read: refused"] as const),
    ],
    [
      "/search?service=frontend",
      (page) => page.keyboard.press("Control+k"),
      ...([/\/v1\/names/, "Services could not be read: refused"] as const),
    ],
  ];

  test("a part of a page that is refused alone says so", async () => {
    const { page, server, answers, store } = app;
    Object.assign(answers, { views: [], notes: [] });
    for (const [where, act, question, what] of parts) {
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.route(question, (route) =>
        route.fulfill({ status: 403, json: { detail: "refused", errors: [{ code: 403, msg: "refused" }] } }),
      );
      await page.goto(`${server.origin}${where === "/trace/" ? `/trace/${store.declined.traceID}` : where}`);
      await page.getByRole("main").waitFor();
      await page.locator(".search-form, .services-page, .changes-page, [role=tree]").first().waitFor();
      await act(page);
      await page.getByText(what).first().waitFor();
    }
    expect(app.complaints).toEqual([]);
  });

  test("every page says what its answers lack, and shows the rest", async () => {
    const { page, answers } = app;
    const banner = page.getByRole("status", { name: "What is missing" });
    for (const one of pages) {
      answers.partial = lacking;
      await page.goto(`${app.server.origin}${one.address()}`);
      await page.locator(one.sign).first().waitFor();
      await banner.getByText(lacking[0]?.text ?? "").waitFor();
      await banner
        .getByText(/part 20261126_5_5_0 of tracing\.spans is damaged.*\d\d:\d\d:\d\d to/)
        .first()
        .waitFor();
      answers.partial = undefined;
      await page.reload();
      await page.locator(one.sign).first().waitFor();
      expect([one.name, await banner.count()]).toEqual([one.name, 0]);
    }
    // Without a service that is known it is no new store.
    Object.assign(answers, { partial: lacking, traces: [] });
    await page.goto(`${app.server.origin}/search`);
    await banner.waitFor();
    await page.locator(".notice").first().waitFor();
    expect(await page.locator(".first-span").count()).toBe(0);
    expect(app.complaints).toEqual([]);
  });

  test.each(pages)("$name: waits for a slow answer in sight, and shows it when it comes", async (one) => {
    const { page } = app;
    const gate = Promise.withResolvers<void>();
    await intercept(page, (route) => gate.promise.then(() => route.fallback()));
    await page.goto(`${app.server.origin}${one.address()}`);
    await page
      .getByText(/^(Searching|Fetching|Counting|Comparing)/)
      .first()
      .waitFor({ state: "attached" });
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    if (looked.waits === one.name) {
      expect(await violationsOn(page)).toEqual([]);
    }
    // The page around the answer can be used while it loads.
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    gate.resolve();
    await page.locator(one.sign).first().waitFor();
    expect(app.complaints).toEqual([]);
  });
});
