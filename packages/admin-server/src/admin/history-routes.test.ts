import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

const body = "/config/apps/http/servers/s/routes/0/handle/0/body";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("one")));
  await running.admin("PATCH", body, '"two"');
  await running.admin("PATCH", body, '"two"');
  await running.admin("PATCH", body, "{broken");
  await running.admin("PATCH", body, '"three"');
});
afterAll(() => running.close());

const get = async (path: string) => JSON.parse((await running.admin("GET", path)).text) as unknown;

test("lists what ran, newest first, with author, time and request", async () => {
  const cause = `PATCH ${body}`;
  expect(await get("/history")).toEqual([
    { n: 3, at: expect.stringMatching(/Z$/), author: "127.0.0.1", bytes: expect.any(Number), cause },
    { n: 2, at: expect.any(String), author: "127.0.0.1", bytes: expect.any(Number), cause },
    { n: 1, at: expect.any(String), author: "", bytes: expect.any(Number) },
  ]);
});

test("gives a part of the list, and how many there are", async () => {
  const asked = await running.admin("GET", "/history?limit=1&offset=1");
  expect(JSON.parse(asked.text)).toMatchObject([{ n: 2 }]);
  expect(asked.headers["x-total-count"]).toBe("3");
  const found = await running.admin("GET", "/history?contains=127.0.0.1&limit=1");
  expect(found.headers["x-total-count"]).toBe("2");
});

test("gives one, and what it changed", async () => {
  expect(await get("/history/1")).toEqual(siteConfig(respond("one")));
  const path = "/apps/http/servers/s/routes/0/handle/0/body";
  const diff = await running.admin("GET", "/history/3/diff");
  expect(diff.headers["content-type"]).toBe("application/json-patch+json");
  expect(JSON.parse(diff.text)).toEqual([{ op: "replace", path, value: "three" }]);
  expect(await get("/history/1/diff?from=3")).toEqual([{ op: "replace", path, value: "one" }]);
  expect(await get("/history/1/diff")).toEqual([
    { op: "replace", path: "", value: siteConfig(respond("one")) },
  ]);
});

test("rolls back, which is a change like any other", async () => {
  const { etag = "" } = (await running.admin("GET", body)).headers;
  await running.admin("PATCH", body, '"four"');
  const stale = await running.admin("POST", "/history/1/rollback", undefined, { "If-Match": etag });
  expect(stale.status).toBe(412);
  expect(await running.admin("POST", "/history/1/rollback")).toMatchObject({ status: 200, text: "" });
  expect(await get(body)).toBe("one");
  expect(await get("/history")).toMatchObject([
    { n: 5, author: "127.0.0.1, rollback to 1", cause: "POST /history/1/rollback" },
    { n: 4 },
    {},
    {},
    {},
  ]);
});

test.each([
  ["GET", "/history/99", 404, "the history has no entry 99"],
  ["GET", "/history/x", 404, "the history has no entry 'x'"],
  ["GET", "/history/1/diff?from=0", 404, "the history has no entry '0'"],
  ["GET", "/history/1/zz", 404, "resource not found: /history/1/zz"],
  ["GET", "/history/1/rollback", 405, "method not allowed"],
  ["POST", "/history", 405, "method not allowed"],
  ["POST", "/history/99/rollback", 404, "the history has no entry 99"],
])("%s %s answers %i", async (method, path, status, error) => {
  expect(await running.admin(method, path)).toMatchObject({ status, error });
});

test("the config bounds it", async () => {
  await running.admin("POST", "/config/admin", { history: { max_entries: 1 } });
  expect(await get("/history")).toMatchObject([{ n: 6 }]);
  await running.admin("PATCH", "/config/admin", { history: { max_entries: 0 } });
  expect(await get("/history")).toEqual([]);
  expect((await running.admin("PATCH", "/config/admin", { history: { max_entries: -1 } })).status).toBe(400);
});
