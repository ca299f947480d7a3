import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Locator } from "playwright-core";
import { violationsOn } from "ui-kit/testing/axe.ts";
import { expect, test } from "vitest";
import { describeConsole } from "./console-session.ts";
import { shopConfig } from "./shop-config.ts";

describeConsole("the console in a browser", (app) => {
  const go = (address: string) => app.page.goto(`${app.server.origin}/ui/${address}`);
  const load = (upstreams: readonly string[] = ["127.0.0.1:9"]) =>
    app.server.admin("POST", "/load", shopConfig(upstreams));
  const row = (name: string | RegExp) => app.page.getByRole("row").filter({ has: app.page.getByText(name) });

  /** Puts a text into the empty editor of the import. A browser adds styles where it joins a text with another. */
  const write = async (text: string) => {
    const editor = app.page.getByLabel("Caddyfile to import");
    await editor.press("ControlOrMeta+a");
    await editor.press("Delete");
    await editor.fill(text);
  };

  test("the first load is small", async () => {
    const loaded = new Map<string, number>();
    app.page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith("/ui/")) {
        return;
      }
      const name = pathname === "/ui/" ? "index.html" : pathname.slice("/ui/".length);
      loaded.set(name, gzipSync(readFileSync(path.join(app.folder, name))).length);
    });
    await load();
    await go("");
    await app.page.getByRole("link", { name: "shop" }).waitFor();
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    expect(loaded.size).toBeGreaterThan(3);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(150_000);
  });

  test("requests a second and errors are counted while the page is open", async () => {
    await load();
    const shop = (await app.server.sites()).find(({ server }) => server === "shop");
    await go("");
    const cells = app.page.getByRole("row").filter({ hasText: "shop" }).getByRole("cell");
    await expect.poll(() => cells.nth(2).textContent(), { timeout: 60_000 }).toMatch(/^0/);
    const rates: string[] = [];
    await expect
      .poll(
        async () => {
          await fetch(`http://${shop?.address}/health`);
          await fetch(`http://${shop?.address}/broken`);
          rates.push(`${await cells.nth(2).textContent()} ${await cells.nth(4).textContent()}`);
          return rates.some((rate) => /^[1-9].* [1-9]|^[1-9].* 0\.[1-9]/.test(rate));
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);
    expect(await app.page.locator(".sparkline.error .line").count()).toBe(2);
    await app.page.keyboard.press("5");
    await app.page.waitForURL(/\/ui\/listeners/);
    await row("internal").getByText("HTTP/1.1, HTTP/2").waitFor();
    await app.page.getByRole("link", { name: "shop" }).click();
    await app.page.waitForURL(/config\?at=%2Fapps%2Fhttp%2Fservers%2Fshop/);
    expect(app.complaints).toEqual([]);
  });

  test("figures that could not be read are no figures to come", async () => {
    await load();
    await app.page.route(/\/metrics$/, (route) => route.fulfill({ status: 503, body: "starting" }));
    await go("");
    const card = app.page.locator(".card", { hasText: "Requests" });
    await card.getByText("could not be read").waitFor();
    expect(await card.textContent()).not.toContain("counted from");
    await app.page.unroute(/\/metrics$/);
    await card.getByText(/no requests|no 5xx/).waitFor();
  });

  test("upstreams are live: one dies, and is back", async () => {
    let broken = false;
    const upstream = createServer((_request, response) => response.writeHead(broken ? 500 : 200).end());
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    try {
      const address = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      await load([address]);
      await go("upstreams");
      await row(address).getByText("healthy", { exact: true }).waitFor();
      broken = true;
      await row(address).getByText("unhealthy").waitFor();
      broken = false;
      await row(address).getByText("healthy", { exact: true }).waitFor();
    } finally {
      upstream.closeAllConnections();
      upstream.close();
    }
  });

  test("certificates: when they end and are renewed; details are in the address", async () => {
    await load();
    await go("certificates");
    const names = app.page.getByRole("rowheader").getByRole("button");
    await expect
      .poll(() => names.allTextContents(), { timeout: 60_000 })
      .toEqual(expect.arrayContaining(["files.localhost", "intranet.localhost"]));
    await row("intranet.localhost")
      .getByText(/^ends in \d+ hours$/)
      .waitFor();
    await names.filter({ hasText: "intranet" }).click();
    await app.page.waitForURL(/open=/);
    await app.page.reload();
    await app.page.getByText("SHA-256").waitFor();
    expect(await names.filter({ hasText: "intranet" }).getAttribute("aria-expanded")).toBe("true");
    // On a telephone the table is wider than the window, the fingerprint is not.
    await app.page.setViewportSize({ width: 360, height: 780 });
    const fingerprint = app.page.locator(".certificate-details dd").last();
    const right = () => fingerprint.evaluate((cell) => Math.ceil(cell.getBoundingClientRect().right));
    await expect.poll(right).toBeLessThanOrEqual(360);
  });

  test("routes: what takes a request, how often, and with how many 5xx", async () => {
    const { page } = app;
    await load();
    const shop = (await app.server.sites()).find(({ server }) => server === "shop");
    await go("routes");
    await row("/health").getByText("static_response").waitFor();
    await expect
      .poll(
        async () => {
          await Promise.all(
            ["/health", "/health", "/broken"].map((each) => fetch(`http://${shop?.address}${each}`)),
          );
          const cell = (name: string, at: number) => row(name).getByRole("cell").nth(at).textContent();
          const [errors, p95, failed] = await Promise.all([
            cell("/health", 3),
            cell("/health", 4),
            cell("/broken", 3),
          ]);
          return errors?.startsWith("0\u00a0") && /^≈ \d/.test(p95 ?? "") && !failed?.startsWith("0\u00a0");
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator(".top-bar, .skip-link, [data-slash]").filter({ visible: true }).count()).toBe(
      0,
    );
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("light");
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await page.getByLabel("Order").selectOption("As in the config");
    await page.waitForURL(/sort=config/);
    await expect.poll(() => page.getByRole("row").nth(3).textContent()).toContain("*.shop.example");
    await page.getByLabel("Filter by host, path, handler").fill("Intranet");
    await expect.poll(() => page.getByRole("rowheader").count()).toBe(1);
    await page.getByRole("link", { name: "intranet.localhost" }).click();
    await page.waitForURL(/config\?at=%2Fapps%2Fhttp%2Fservers%2Finternal%2Froutes%2F0/);
    expect(app.complaints).toEqual([]);
  });

  const scrolledTop = () => app.page.locator(".console-page").evaluate((box) => Math.round(box.scrollTop));

  /** Follows a link far down a list and steps back: the list is scrolled as before, the focus on the link. */
  const comesBackTo = async (link: Locator) => {
    await link.focus();
    await expect.poll(scrolledTop).toBeGreaterThan(100);
    const before = await scrolledTop();
    await link.press("Enter");
    await app.page.waitForURL(/\/ui\/config/);
    await app.page.getByRole("heading", { name: "Config", exact: true }).waitFor();
    await app.page.goBack();
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await scrolledTop()).toBe(before);
  };

  test.each([1, 101, 1_500])(
    "%d routes are shown a page at a time; a telephone sees the figure first",
    async (count) => {
      const { page, server } = app;
      const routes = Array.from({ length: count }, (_, index) => ({
        match: [{ host: [`h${index}.example`] }],
        handle: [{ handler: "static_response" }],
      }));
      await server.admin("POST", "/load", {
        apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], routes } } } },
      });
      await go("routes?sort=host");
      await row(/^h0\.example$/).waitFor();
      expect(await page.getByRole("rowheader").count()).toBe(Math.min(count, 100));
      if (count > 100) {
        await page.getByText(`1 to 100 of ${count.toLocaleString("en")} routes`).waitFor();
        await comesBackTo(page.getByRole("rowheader").getByRole("link").nth(80));
        await page.getByRole("button", { name: "Next" }).click();
        await page.getByText(`101 to ${Math.min(count, 200)} of`).waitFor();
        await expect.poll(scrolledTop).toBe(0);
        await page.getByLabel("Filter by host, path, handler").fill(`h${count - 1}.example`);
        await expect.poll(() => page.getByRole("rowheader").count()).toBe(1);
      }
      await page.getByLabel("Order").selectOption("Slowest first");
      await page.setViewportSize({ width: 360, height: 740 });
      await expect.poll(() => page.getByRole("columnheader").nth(1).textContent()).toContain("p95");
      expect(app.complaints).toEqual([]);
    },
  );

  test("a request is tried: what would answer it, by which way, and why not", async () => {
    const { page, server } = app;
    await load();
    const shop = (await server.sites()).find((site) => site.server === "shop");
    await go("routes");
    await page.getByRole("main").getByRole("link", { name: "Try a request" }).click();
    const url = page.getByLabel("URL");
    const end = page.getByRole("status", { name: "What the client gets" });
    await url.fill(`${shop?.address}/health`);
    await url.press("Enter");
    await page.getByRole("alert").getByText("Write http:// or https://").waitFor();
    expect(await url.evaluate((field) => field === document.activeElement)).toBe(true);
    await url.fill(`http://${shop?.address}/health`);
    await page.getByRole("button", { name: "Try it" }).click();
    await end.getByText("200, by static_response").waitFor();
    expect(await (await fetch(`http://${shop?.address}/health`)).text()).toBe("ok\n");
    await end.getByRole("link", { name: "routes/0/handle/0" }).waitFor();
    // The same question again meets the config of now.
    await server.admin("PATCH", "/id/health/handle/0/body", "fine\n");
    await server.admin("PUT", "/id/health/handle/0/status_code", 410);
    await page.getByRole("button", { name: "Try it" }).click();
    await end.getByText("410, by static_response").waitFor();
    await url.fill(`http://${shop?.address}/api/items`);
    await page.getByLabel("Header fields").fill("Host: eu.shop.example\nno field");
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByRole("alert").getByText("Line 2 is no field").waitFor();
    await page.getByLabel("Header fields").fill("X-Trace: 1");
    await page.getByRole("button", { name: "Try it" }).click();
    await end.getByText("reverse_proxy answers").waitFor();
    const steps = page.getByRole("listitem").filter({ hasText: "routes/2" });
    // The matchers come with the config, which is asked for beside the way.
    await expect
      .poll(async () => (await steps.allTextContents())[0], { timeout: 60_000 })
      .toContain("host *.shop.example 127.0.0.1, path /api/*headers runsreverse_proxy answers");
    await page.getByText("2 routes were tried and not for it").click();
    await page.getByText("path does not match").first().waitFor();
    await page.reload();
    await end.getByText("reverse_proxy answers").waitFor();
    expect(await page.getByLabel("Header fields").inputValue()).toBe("X-Trace: 1");
    await page.goBack();
    await end.getByText("410, by static_response").waitFor();
    await url.fill("https://127.0.0.1:9/");
    await url.press("Enter");
    await end.getByText("No server listens there").waitFor();
    expect(await end.textContent()).toContain(`http://${shop?.address}`);
    await url.fill("http://127.0.0.1:99999999/");
    await url.press("Enter");
    await page.getByRole("alert").getByText("Write http:// or https://").waitFor();
    await page.getByLabel("Client address").fill("nobody");
    await url.fill(`http://${shop?.address}/api/items`);
    await url.press("Enter");
    await page.waitForURL(/client=nobody/);
    await server.kill();
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("The server does not answer").first().waitFor();
    expect(app.complaints).toEqual([]);
  });

  test("a Caddyfile is shown as what it becomes, with faults at their line, and loaded if nobody was faster", async () => {
    const { page, server } = app;
    await load();
    await go("import");
    await page.getByRole("button", { name: "Begin with what runs" }).click();
    await page.getByText(/What runs cannot be written as Caddyfile|It is what runs now/).waitFor();
    await write("http://a.localhost:0 {\n\trespnd hi\n}\n");
    await page.getByText("Error, line 2: unrecognized directive: respnd").waitFor();
    await expect
      .poll(() => page.locator(".cm-lintRange-error").textContent(), { timeout: 60_000 })
      .toBe("respnd hi");
    await write("http://a.localhost:0 {\n\tbind 127.0.0.1\n\trespond hi 201\n}\n");
    const becomes = page.getByLabel("JSON that it becomes");
    await expect.poll(() => becomes.textContent(), { timeout: 60_000 }).toContain('"status_code": 201');
    await page.getByText("The server could run this.").waitFor();
    const chosen = page.getByRole("navigation", { name: "View" }).locator("[aria-current=page]");
    expect(await chosen.allTextContents()).toEqual(["JSON"]);
    await page.getByRole("link", { name: "What would change" }).click();
    await page.locator(".difference").first().waitFor();
    await page.reload();
    await page.locator(".difference").first().waitFor();
    await page.getByRole("button", { name: "Load" }).waitFor();
    // Somebody else is faster.
    await server.admin("POST", "/config/apps/http/grace_period", "31s");
    await page.getByRole("button", { name: "Load" }).click();
    await page.getByText("Somebody else changed the config meanwhile").waitFor();
    expect(await (await server.admin("GET", "/config/apps/http/grace_period")).json()).toBe("31s");
    await expect
      .poll(() => page.locator(".difference").allTextContents(), { timeout: 60_000 })
      .toContainEqual(expect.stringContaining("31s"));
    await page.getByRole("button", { name: "Load" }).click();
    await expect
      .poll(async () => (await server.sites()).map((site) => site.server), { timeout: 60_000 })
      .toEqual(["srv0"]);
    // The settings of the endpoint itself were kept: it still answers here.
    expect(await (await server.admin("GET", "/config/admin/history/max_entries")).json()).toBe(50);
    await go("import");
    await page.getByRole("button", { name: "Begin with what runs" }).click();
    await page.getByText("It is what runs now.").waitFor();
    expect(await page.getByLabel("Caddyfile to import").textContent()).toContain("respond hi 201");
    await go("history");
    await page.getByText(/with POST \/config\//).waitFor();
  });

  test("history: what changed, and back to an earlier version after a look", async () => {
    const { page, server } = app;
    await load();
    await server.admin("PATCH", "/id/health/handle/0/body", "fine\n");
    await server.admin("POST", "/config/apps/http/grace_period", "30s");
    await go("history");
    await page.getByText('"30s"').waitFor();
    const chosen = page.getByRole("navigation", { name: "View" }).locator("[aria-current=page]");
    expect(await chosen.allTextContents()).toEqual(["What it changed"]);
    expect(await page.getByRole("button", { name: /Roll back/ }).count()).toBe(0);
    const first = page.getByRole("navigation", { name: "Versions" }).getByRole("link").last();
    await page.keyboard.press("j");
    await page.getByText('"fine\\n"').waitFor();
    await first.click();
    expect(await chosen.allTextContents()).toEqual(["What it changed"]);
    await page.getByRole("link", { name: "What going back would change" }).click();
    await chosen.getByText("What going back would change").waitFor();
    await page.waitForURL(/view=rollback/);
    await expect.poll(() => page.locator(".difference").count(), { timeout: 60_000 }).toBe(2);
    await page.getByRole("button", { name: /Roll back to version/ }).click();
    await page.getByText("this version runs now").waitFor();
    await page
      .getByText(/127\.0\.0\.1, rollback to \d/)
      .first()
      .waitFor();
    expect(await (await server.admin("GET", "/config/apps/http/grace_period")).json()).toBe("10s");
    await go("history?n=999");
    await page.getByText("Version 999 is not in the history").waitFor();
  });

  test("a version that is old by now is not rolled back over", async () => {
    const { page, server } = app;
    await load();
    await server.admin("PATCH", "/id/health/handle/0/body", "one\n");
    const [newest] = (await (await server.admin("GET", "/history")).json()) as { n: number }[];
    // The page asks every five seconds; here it learns of the third version only when the button is pressed.
    let known: unknown;
    const historyList = /^http:\/\/[^/]+\/history\?/;
    await page.route(historyList, async (route) => {
      const answer: unknown = await (await route.fetch()).json();
      known ??= answer;
      await route.fulfill({ json: known });
    });
    await go(`history?n=${(newest?.n ?? 2) - 1}&view=rollback`);
    await page.getByRole("button", { name: /Roll back/ }).waitFor();
    await page.route("**/config/", async (route) => {
      await page.unroute(historyList);
      await route.continue();
    });
    await server.admin("PATCH", "/id/health/handle/0/body", "two\n");
    await page.getByRole("button", { name: /Roll back/ }).click();
    await page.getByText("Another version runs by now.").waitFor();
    expect(await (await server.admin("GET", "/id/health/handle/0/body")).json()).toBe("two\n");
  });

  test("a server that goes away and comes back", async () => {
    const { page, server } = app;
    await load();
    await go("");
    await page.getByRole("link", { name: "shop" }).waitFor();
    await server.kill();
    await page.getByText("The server does not answer since").waitFor();
    expect(await page.getByRole("link", { name: "shop" }).count()).toBe(1);
    await server.run();
    await page.getByText("The server does not answer since").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "shop" }).waitFor();
  });

  test.each([
    ["unreachable", (status: number) => status === 0, "The server does not answer"],
    ["403", (status: number) => status === 403, "The server does not admit this address"],
    ["500", (status: number) => status === 500, "The server could not do this"],
    ["an answer of another program", (status: number) => status === 200, "The answer was not understood"],
  ])("a page without data says why: %s, and asks again", async (_, is, title) => {
    const status = [0, 403, 500, 200].find(is) ?? 0;
    let broken = true;
    await app.page.route("**/reverse_proxy/upstreams*", (route) => {
      if (!broken) {
        return route.continue();
      }
      if (status === 0) {
        return route.abort();
      }
      return route.fulfill({ status, json: status === 200 ? { hello: 1 } : { error: "in its own words" } });
    });
    await go("upstreams");
    const notice = app.page.getByRole("alert");
    await notice.getByText(title).waitFor();
    if (status >= 400) {
      expect(await notice.textContent()).toContain(`${status}: in its own words`);
    }
    broken = false;
    await app.page.getByText("No proxies").waitFor();
  });

  test("an empty server has pages that say what to do", async () => {
    const { page } = app;
    for (const [address, text] of [
      ["", "No server is configured"],
      ["import", "Paste a Caddyfile at the left"],
      ["routes", "No routes"],
      ["listeners", "Nothing is served yet"],
      ["upstreams", "No proxies"],
      ["certificates", "No certificates"],
      ["try", "Nothing is sent"],
      ["try?url=http://a.example", "the running config has no servers"],
      ["nowhere", "There is no such page"],
    ] as const) {
      await go(address);
      await page.getByText(text).waitFor();
      expect(await violationsOn(page), address).toEqual([]);
    }
  });

  test("every page: axe finds nothing in either theme, nor at 360 px, where nothing sticks out", {
    timeout: 180_000,
  }, async () => {
    const { page, server } = app;
    await load();
    await server.admin("PATCH", "/id/health/handle/0/body", "fine\n");
    const shop = (await server.sites()).find((site) => site.server === "shop");
    /** Looks at what is on the page in light and dark, and as narrow as a telephone. */
    const look = async (name: string) => {
      expect(await violationsOn(page), name).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect(await violationsOn(page, "colours"), `${name}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      for (const width of [360, 768, 1024, 1200, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate(() => new Promise(requestAnimationFrame));
        if (width === 360) {
          expect(await violationsOn(page), `${name}, 360 px`).toEqual([]);
        }
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(needed, `${name}, ${width} px`).toBeLessThanOrEqual(width);
      }
    };
    const at = (pointer: string) => `config?at=${encodeURIComponent(pointer)}`;
    for (const [address, sign] of [
      ["", "text=See upstreams"],
      [at("/apps/http/servers/shop"), "text=Tried in order."],
      [at("/apps/http/servers/shop/routes/2/handle/1"), "text=health_checks"],
      [`${at("/apps/http")}&view=json`, ".json-field .cm-line"],
      ["import", ".import-page"],
      ["routes", "tbody tr"],
      ["listeners", "tbody tr"],
      ["upstreams", "tbody tr"],
      ["certificates", "tbody tr"],
      ["history", ".difference"],
      [`try?url=http://${shop?.address}/broken`, ".way-passed"],
      ["try?url=a&method=b", "text=Write http://"],
    ] as const) {
      await go(address);
      await page.locator(sign).first().waitFor();
      await look(address);
    }
    for (const [text, sign] of [
      ["a.localhost {\n  respond hi\n}", "text=The server could run this."],
      ["a.localhost {\n  respnd hi\n}", "text=unrecognized directive"],
    ] as const) {
      await go("import");
      await write(text);
      await page.locator(sign).first().waitFor();
      await look(`import, ${sign}`);
    }
    await page.evaluate(() => sessionStorage.clear());
    await go(at("/apps/http"));
    const field = page.getByLabel("grace_period", { exact: true });
    await field.fill("1h");
    await field.press("Enter");
    await page.getByRole("button", { name: "Review and apply" }).click();
    await page.locator(".difference").waitFor();
    await look("review");
    await page.getByRole("button", { name: "Back to editing" }).click();
    await page.getByRole("tree").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await look("help");
    expect(app.complaints).toEqual([]);
  });

  test("1,500 upstreams and a long history are listed a page at a time, and found by a part of the name", async () => {
    const { page, server } = app;
    const many = Array.from({ length: 1_500 }, (_, at) => `127.0.1.${at % 250}:${1 + Math.floor(at / 250)}`);
    const proxy = { handler: "reverse_proxy", upstreams: many.map((dial) => ({ dial })) };
    const site = { listen: ["127.0.0.1:0"], routes: [{ handle: [proxy] }] };
    await server.admin("POST", "/load", { apps: { http: { servers: { site } } } });
    await go("upstreams?sort=address");
    await row("127.0.1.0:1").waitFor();
    expect(await page.getByRole("rowheader").count()).toBe(100);
    await page.getByText("1 to 100 of 1,500 upstreams").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(/page=2/);
    await page.getByText("101 to 200 of 1,500 upstreams").waitFor();
    await page.getByLabel("Filter by address").fill("127.0.1.249");
    await row("127.0.1.249:6").waitFor();
    await expect.poll(() => page.getByRole("rowheader").count()).toBe(6);
    await page.getByLabel("Filter by address").fill("nowhere");
    await page.getByText("No such upstream").waitFor();

    await server.admin("POST", "/load", { admin: { history: { max_entries: 200 } }, apps: { http: {} } });
    for (let version = 0; version < 101; version += 1) {
      await server.admin("POST", "/config/apps/http/grace_period", `${version + 1}s`);
    }
    await go("history");
    const versions = page.getByRole("navigation", { name: "Versions" }).getByRole("link");
    await expect.poll(() => versions.count()).toBe(100);
    const newest = Number(await versions.first().locator("b").textContent());
    // A version of another page is found by its number alone.
    await go(`history?n=${newest - 100}`);
    await page.getByRole("heading", { name: `Version ${newest - 100},` }).waitFor();
    await page.getByText('"1s"').waitFor();
    await page.getByLabel("Filter by author, request, time, #number").fill(`#${newest - 7}`);
    await expect.poll(() => versions.count()).toBe(1);
    await page.getByText(`"${101 - 7}s"`).waitFor();
    expect(app.complaints).toEqual([]);
  });
});
