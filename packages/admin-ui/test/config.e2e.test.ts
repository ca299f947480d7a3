import { expect, test } from "vitest";
import { describeConsole } from "./console-session.ts";
import { shopConfig } from "./shop-config.ts";

/** A browser on a machine that is busy with other tests takes its time. */
const patient = { timeout: 60_000 };

describeConsole("the config in a browser", (app) => {
  const shop = "/apps/http/servers/shop";
  const open = async (at: string) => {
    await app.page.goto(`${app.server.origin}/ui/config?at=${encodeURIComponent(at)}`);
    await app.page.getByRole("tree").waitFor();
  };
  const load = () => app.server.admin("POST", "/load", shopConfig(["127.0.0.1:9"]));
  const config = async (path: string) => (await app.server.admin("GET", `/config${path}`)).json();
  const button = (name: string) => app.page.getByRole("button", { name, exact: true });
  const field = (name: string) => app.page.getByLabel(name, { exact: true });
  const set = async (name: string, value: string) => {
    await field(name).fill(value);
    await field(name).press("Enter");
  };
  const selected = () => app.page.locator('[role="treeitem"][aria-selected="true"]');

  test("a field is added by its completed name, looked at, and applied", async () => {
    const { page } = app;
    await load();
    await open(shop);
    await field("Name of a new field").fill("idle_t");
    await page.getByRole("option", { name: /^idle_timeout/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("How long a connection may wait for its next request (5m").waitFor();
    await page.keyboard.press("Enter");
    await set("idle_timeout", "2m");
    await page.getByText("1 change not applied").waitFor();
    await button("Review and apply").click();
    await page.waitForURL(/view=review/);
    await page.getByText("The server could run this.").waitFor();
    expect(await page.locator(".difference").textContent()).toContain(
      "added/apps/http/servers/shop/idle_timeout",
    );
    await button("Apply").click();
    await page.getByText("as it runs").waitFor();
    expect(await config(`${shop}/idle_timeout`)).toBe("2m");
    expect(app.complaints).toEqual([]);
  });

  test("modules are chosen from a list, and then have their own fields", async () => {
    const { page } = app;
    await load();
    await open(`${shop}/routes/0/handle`);
    await button("Add an element").click();
    await field("handler").selectOption("rate_limit");
    await field("Name of a new field").click();
    await page.keyboard.press("ArrowDown");
    const names = await page.getByRole("option").allTextContents();
    const schema = await (await app.server.admin("GET", "/config/schema/http.handlers.rate_limit")).json();
    const fields = Object.keys(Object.values<{ properties?: object }>(schema.$defs)[0]?.properties ?? {});
    expect(fields.length).toBeGreaterThan(1);
    for (const name of fields) {
      expect(names.join("\n")).toContain(name);
    }
  });

  test("what the schema or the server does not allow is said where it stands, and is not applied", async () => {
    const { page } = app;
    await load();
    await open("/apps/http");
    await field("Name of a new field").fill("no_such_field");
    await page.getByText("no_such_field is no field of this object").waitFor();
    expect(await button("Add").isDisabled()).toBe(true);
    await field("Name of a new field").fill("http_port");
    await button("Add").click();
    await set("http_port", "70000");
    await page.getByText("http_port must be 65535 or less").first().waitFor();
    await page.getByText("1 fault").waitFor();
    await button("Review and apply").click();
    await page.getByText("This cannot run").waitFor();
    expect(await button("Apply").count()).toBe(0);
    await button("/config/apps/http/http_port").click();
    await page.waitForURL(/at=%2Fapps%2Fhttp%2Fhttp_port/);
    await button("Undo the last").click();
    expect(await config("/apps/http/http_port")).toBeNull();
  });

  test("a fault that only shows when it starts is refused by the server, whose words are shown", async () => {
    const { page } = app;
    await load();
    const port = new URL(app.server.origin).port;
    await open(`${shop}/listen`);
    await set("0", `127.0.0.1:${port}`);
    await button("Review and apply").click();
    await button("Apply").click();
    await page
      .getByText(/The server refused, and goes on with what ran before: .*address already in use/)
      .waitFor();
    expect(await config(`${shop}/listen`)).toEqual(["127.0.0.1:0"]);
    await page.getByText("1 change not applied").waitFor();
  });

  test("somebody else is faster: their change is shown, and mine goes on top of it", async () => {
    const { page } = app;
    await load();
    await open("/apps/http");
    await set("grace_period", "20s");
    await button("Review and apply").click();
    await button("Apply").waitFor();
    await app.server.admin("PATCH", "/id/health/handle/0/body", "theirs\n");
    await button("Apply").click();
    await page.getByText("The config was changed meanwhile").waitFor();
    await page.getByText('"theirs\\n"').waitFor();
    expect(await config("/apps/http/grace_period")).toBe("10s");
    await button("Keep my changes on the newer version").click();
    await button("Apply").click();
    await page.getByText("as it runs").waitFor();
    expect(await config("/apps/http/grace_period")).toBe("20s");
    expect(await config(`${shop}/routes/0/handle/0/body`)).toBe("theirs\n");
  });

  test("of changes that no longer fit the rest can be kept", async () => {
    const { page } = app;
    await load();
    await open("/apps/http");
    await set("grace_period", "20s");
    await open(`${shop}/routes/0/handle/0`);
    await set("body", "mine");
    await app.server.admin("DELETE", `/config${shop}/routes`);
    await page.getByText(/The config was changed by 127.0.0.1/).waitFor();
    await button("See the newer version").click();
    await page.getByText("1 of your 2 changes no longer fit").waitFor();
    await button("Keep my changes on the newer version").click();
    await page.getByText("1 change not applied").waitFor();
  });

  test("without changes of one's own the page follows the server", async () => {
    const { page } = app;
    await load();
    await open("/apps/http");
    await field("grace_period").waitFor();
    await app.server.admin("PATCH", "/config/apps/http/grace_period", "7s");
    await expect.poll(() => field("grace_period").inputValue(), patient).toBe("7s");
    expect(await page.getByText("as it runs").count()).toBe(1);
  });

  test("place, folding and search are in the address; changes outlive a reload; back goes back", async () => {
    const { page } = app;
    await load();
    await open("/apps/http");
    await set("grace_period", "20s");
    await page.getByRole("treeitem", { name: /^internal/ }).click();
    await page.waitForURL(/internal/);
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/open=/);
    await page.reload();
    await page.getByText("1 change not applied").waitFor();
    await page.getByRole("treeitem", { name: /^tls_connection_policies/ }).waitFor();
    await page.goBack();
    await expect.poll(() => selected().textContent(), patient).toMatch(/^http/);
    await field("Find a name or a value").fill("intranet");
    await page.waitForURL(/q=intranet/);
    const lines = () => page.getByRole("treeitem").allTextContents();
    await expect.poll(async () => (await lines()).at(-1), patient).toContain("intranet.localhost");
    expect((await lines()).join()).not.toContain("catalogue");
  });

  test("by keys alone: through the tree, into a field, and back", async () => {
    const { page } = app;
    await load();
    await open("");
    await page.getByRole("tree").focus();
    const press = async (key: string, line: RegExp, expanded: string | null) => {
      await page.keyboard.press(key);
      await expect.poll(() => selected().textContent(), patient).toMatch(line);
      await expect.poll(() => selected().getAttribute("aria-expanded"), patient).toBe(expanded);
    };
    await press("j", /^admin/, "true");
    await press("j", /^history/, "true");
    await press("j", /^max_entries/, null);
    await press("ArrowDown", /^apps/, "true");
    await press("l", /^http/, "true");
    await press("ArrowLeft", /^http/, "false");
    await press("ArrowRight", /^http/, "true");
    await press("ArrowDown", /^grace_period/, null);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Home");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await page.getByText("1 change not applied").waitFor();
    await page.getByRole("tree").focus();
    await page.keyboard.press("r");
    await page.getByText("The server could run this.").waitFor();
  });

  test("lists: elements are moved, removed, added; JSON is taken as text, and only when it is right", async () => {
    const { page } = app;
    await app.server.admin("POST", "/load", { admin: { origins: [app.server.address, "a:1", "b:2"] } });
    await open("/admin/origins");
    await button("Move 2 up").click();
    await button("Remove 2").click();
    await button("Add an element").click();
    await set("2", "c:3");
    await button("Edit as JSON").click();
    const text = page.getByLabel("JSON", { exact: true });
    expect(JSON.parse((await text.textContent()) ?? "")).toEqual([app.server.address, "b:2", "c:3"]);
    await text.fill("[1,");
    await page.getByText(/JSON/).last().waitFor();
    expect(await button("Take over").isDisabled()).toBe(true);
    await text.fill(JSON.stringify([app.server.address, "d:4"]));
    await button("Take over").click();
    await button("Review and apply").click();
    await button("Apply").click();
    await page.getByText("as it runs").waitFor();
    expect(await config("/admin/origins")).toEqual([app.server.address, "d:4"]);
  });

  test("an empty server can be given its first config", async () => {
    const { page } = app;
    await open("");
    await button("Nothing is set here: begin").click();
    await field("Name of a new field").waitFor();
    await button("Edit as JSON").click();
    await page.getByLabel("JSON", { exact: true }).fill(JSON.stringify(shopConfig([])));
    await button("Take over").click();
    await button("Review and apply").click();
    await button("Apply").click();
    await page.getByText("as it runs").waitFor();
    expect(await config(`${shop}/routes/0/@id`)).toBe("health");
  });

  test("markup in keys and values stays text, under the page's policy", async () => {
    const { page } = app;
    const nasty = '<img src=x onerror="window.struck=1"><script>window.struck=1</script>';
    const server = {
      listen: ["127.0.0.1:0"],
      routes: [{ "@id": nasty, handle: [{ handler: "static_response", body: nasty }] }],
    };
    await app.server.admin("POST", "/load", { apps: { http: { servers: { [nasty]: server } } } });
    await open(`/apps/http/servers/${nasty.replaceAll("/", "~1")}/routes/0/handle/0`);
    await field("body").waitFor();
    await set("body", `${nasty}!`);
    await button("Review and apply").click();
    await page.locator(".difference").waitFor();
    for (const address of ["", "listeners", "history"]) {
      await page.goto(`${app.server.origin}/ui/${address}`);
      await page.getByText("<img src=x").first().waitFor();
    }
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.evaluate(() => "struck" in window)).toBe(false);
    const inline = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.struck = 1";
      document.body.append(script);
      return "struck" in window;
    });
    expect(inline).toBe(false);
    expect(app.complaints.join()).toContain("Content Security Policy");
  });
});
