import { rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeConsoleFolder } from "../../testing/console-folder.ts";
import { RunningServer } from "../../testing/running-server.ts";

let folder: string;
let running: RunningServer;
beforeAll(async () => {
  folder = await makeConsoleFolder();
  running = await RunningServer.start({}, { SERVER_UI_FOLDER: folder });
});
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await running.admin("POST", "/load", { apps: {} });
});

const page = "<!doctype html><title>Console</title>";
const asset = "/ui/static/index-Ab3_xy-9.js";

describe("files", () => {
  test.each(["/ui/", "/ui/config", "/ui/history/x/y", "/ui/index.html"])("%s is the page", async (path) => {
    const answer = await running.admin("GET", path);
    expect([answer.status, answer.text]).toEqual([200, page]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": "frame-ancestors 'none'",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
    });
  });

  test.each([
    ["GET", "/ui", {}, 307],
    ["GET", "/ui//config", {}, 307],
    ["GET", "/ui/static/none.js", {}, 404],
    ["POST", "/ui/", {}, 405],
    ["GET", "/ui/", { Origin: "http://elsewhere.example" }, 403],
  ])("%s %s with %j is guarded too: %i", async (method, path, headers, status) => {
    const answer = await fetch(`${running.adminUrl}${path}`, {
      method,
      headers: { Origin: running.adminUrl, ...headers },
      redirect: "manual",
    });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-security-policy": "frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
    });
  });

  test("without its last slash the address leads there", async () => {
    const answer = await running.admin("GET", "/ui");
    expect([answer.status, answer.headers.location]).toEqual([307, "/ui/"]);
  });

  test("names with a hash are for ever, others not", async () => {
    const hashed = await running.admin("GET", asset);
    expect([hashed.status, hashed.text]).toEqual([200, "console.log(1);"]);
    expect(hashed.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(hashed.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const icon = await running.admin("GET", "/ui/static/icon.svg");
    expect([icon.headers["cache-control"], icon.headers["content-type"]]).toEqual([
      "no-cache",
      "image/svg+xml",
    ]);
  });

  test("compressed for those who take it", async () => {
    const answer = await fetch(`${running.adminUrl}${asset}`, {
      headers: { "Accept-Encoding": "gzip", Origin: running.adminUrl },
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(await answer.text()).toBe("console.log(1);");
  });

  test.each([
    "/ui/static/none.js",
    "/ui/static/",
    "/ui/static/..%2fsecret.js",
    "/ui/static/a/b.js",
    "/ui/static/icon.svg.exe",
  ])("%s is no file", async (path) => {
    const answer = await running.admin("GET", path);
    expect([307, 404]).toContain(answer.status);
    expect(answer.text).not.toBe("secret");
  });

  test("a name with a NUL is refused", async () => {
    expect((await running.admin("GET", "/ui/static/%00.js")).status).toBe(400);
  });

  test("only reading", async () => {
    expect(await running.admin("POST", "/ui/", {})).toMatchObject({
      status: 405,
      error: "method not allowed",
    });
    expect(await running.admin("HEAD", "/ui/")).toMatchObject({ status: 200, text: "" });
  });

  test("off by one setting, and back", async () => {
    await running.admin("POST", "/load", { admin: { ui: false } });
    expect((await running.admin("GET", "/ui/")).status).toBe(404);
    expect((await running.admin("GET", asset)).status).toBe(404);
    await running.admin("POST", "/load", { admin: { ui: true } });
    expect((await running.admin("GET", "/ui/")).status).toBe(200);
    expect((await running.admin("POST", "/load", { admin: { ui: "no" } })).status).toBe(400);
  });

  test("where it is not built it says so", async () => {
    const bare = await RunningServer.start({}, { SERVER_UI_FOLDER: "/nowhere" });
    expect(await bare.admin("GET", "/ui/")).toMatchObject({
      status: 404,
      text: expect.stringContaining("The console is not built"),
    });
    await bare.close();
  });
});

describe("who may visit", () => {
  const typed = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  const linked = { ...typed, "Sec-Fetch-Site": "cross-site", Referer: "https://example.com/" };
  const ownStyle = {
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "no-cors",
    "Sec-Fetch-Dest": "style",
  };
  test.each([
    ["an address that was typed", "/ui/", typed],
    ["a link elsewhere", "/ui/config", linked],
    ["a style of its own page", asset, ownStyle],
  ])("%s", async (_, path, headers) => {
    expect((await running.admin("GET", path, undefined, headers)).status).toBe(200);
  });

  const framed = { ...linked, "Sec-Fetch-Dest": "iframe" };
  const foreignScript = { ...ownStyle, "Sec-Fetch-Site": "cross-site" };
  const sibling = { ...ownStyle, "Sec-Fetch-Site": "same-site" };
  test.each([
    ["a frame of another page", "/ui/", framed, 403],
    ["another page that loads the script", asset, foreignScript, 400],
    ["another port of this host that loads the script", asset, sibling, 400],
    ["another page that fetches it", "/ui/", { Origin: "https://example.com" }, 403],
    ["a name that is not ours (DNS rebinding)", "/ui/", { ...typed, Host: "example.com" }, 403],
    ["a link to the API: only the console may be visited", "/config/", linked, 403],
    ["a name that only begins like it", "/uix", typed, 403],
  ])("not %s", async (_, path, headers, status) => {
    expect((await running.admin("GET", path, undefined, headers)).status).toBe(status);
  });

  test("where every request must name its origin, a browser's visit still does without", async () => {
    await running.admin("POST", "/load", { admin: { enforce_origin: true } });
    const own = { Origin: running.adminUrl };
    expect((await running.admin("GET", "/ui/", undefined, typed)).status).toBe(200);
    expect((await running.admin("GET", "/ui/")).status).toBe(403);
    expect((await running.admin("POST", "/load", { apps: {} }, own)).status).toBe(200);
  });
});
