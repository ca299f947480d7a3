import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

const routes = "/config/apps/http/servers/s/routes";
const jsonPatch = { "Content-Type": "application/json-patch+json" };
const mergePatch = { "Content-Type": "application/merge-patch+json; charset=utf-8" };

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());
beforeEach(async () => {
  const named = { "@id": "first", ...(respond("one") as object) };
  expect((await running.admin("POST", "/load", siteConfig(named, respond("two")))).status).toBe(200);
});

const bodies = async () => {
  const list = JSON.parse((await running.admin("GET", routes)).text) as { handle: { body: string }[] }[];
  return list.map((route) => route.handle[0]?.body);
};

describe("PATCH with a JSON patch", () => {
  test("does several changes at once", async () => {
    const patch = [
      { op: "test", path: "/0/handle/0/body", value: "one" },
      { op: "move", from: "/1", path: "/0" },
      { op: "add", path: "/-", value: respond("three") },
      { op: "copy", from: "/0", path: "/-" },
      { op: "replace", path: "/0/handle/0/body", value: "second" },
    ];
    expect(await running.admin("PATCH", routes, patch, jsonPatch)).toMatchObject({ status: 200, text: "" });
    expect(await bodies()).toEqual(["second", "one", "three", "two"]);
  });

  test("works at the root, through /id/, and moves what has an @id", async () => {
    const rename = [{ op: "move", from: "/apps/http/servers/s", path: "/apps/http/servers/t" }];
    expect((await running.admin("PATCH", "/config/", rename, jsonPatch)).status).toBe(200);
    const replace = [{ op: "replace", path: "/handle/0/body", value: "by id" }];
    expect((await running.admin("PATCH", "/id/first", replace, jsonPatch)).status).toBe(200);
    const at = "/config/apps/http/servers/t/routes/0/handle/0/body";
    expect((await running.admin("GET", at)).text).toBe('"by id"\n');
  });

  test.each<[string, unknown, number, string]>([
    [
      "a failed test",
      [
        { op: "remove", path: "/1" },
        { op: "test", path: "/0", value: 1 },
      ],
      409,
      "operation 1 (test /0)",
    ],
    ["a missing target", [{ op: "remove", path: "/9" }], 409, "array index out of bounds: 9"],
    ["no patch", { op: "remove" }, 400, "a JSON patch is an array"],
    ["no JSON", "[", 400, "decoding request body: unexpected end of JSON input, at offset 1"],
    ["nothing", "", 400, "the patch is empty"],
    ["a config that cannot run", [{ op: "add", path: "/0/zz", value: 1 }], 400, 'unknown field "zz", at'],
    ["an id that stands twice", [{ op: "copy", from: "/0", path: "/-" }], 400, "duplicate ID 'first'"],
  ])("refuses %s and does nothing of it", async (_, patch, status, message) => {
    const before = (await running.admin("GET", "/config/")).text;
    const answer = await running.admin("PATCH", routes, patch, jsonPatch);
    expect([answer.status, answer.error]).toEqual([status, expect.stringContaining(message)]);
    expect((await running.admin("GET", "/config/")).text).toBe(before);
  });

  test("of a path that is not there is 404, and only PATCH knows it", async () => {
    expect((await running.admin("PATCH", "/config/apps/zz", [], jsonPatch)).status).toBe(404);
    const answer = await running.admin("POST", routes, [], jsonPatch);
    expect([answer.status, answer.error]).toEqual([
      400,
      expect.stringContaining("unacceptable content-type"),
    ]);
  });
});

test("PATCH with a merge patch", async () => {
  const patch = { routes: [respond("only")], idle_timeout: "1m", listen: null, max_header_bytes: null };
  expect((await running.admin("PATCH", "/config/apps/http/servers/s", patch, mergePatch)).status).toBe(200);
  expect(JSON.parse((await running.admin("GET", "/config/apps/http/servers/s")).text)).toEqual({
    routes: [respond("only")],
    idle_timeout: "1m",
  });
});

describe.each([
  ["json-patch", jsonPatch, [{ op: "remove", path: "/0" }]],
  ["merge-patch", mergePatch, []],
])("If-Match with %s", (_, headers, patch) => {
  test("is held to", async () => {
    const { etag = "" } = (await running.admin("GET", routes)).headers;
    await running.admin("PATCH", `${routes}/1/handle/0/body`, '"changed"');
    const late = await running.admin("PATCH", routes, patch, { ...headers, "If-Match": etag });
    expect(late.status).toBe(412);
    expect(await bodies()).toEqual(["one", "changed"]);
    const now = (await running.admin("GET", routes)).headers.etag ?? "";
    expect((await running.admin("PATCH", routes, patch, { ...headers, "If-Match": now })).status).toBe(200);
  });
});

test("fifty clients at once: each change is applied once, or refused with 412", async () => {
  await running.admin("PATCH", `${routes}/0/handle/0/body`, '"0"');
  const path = `${routes}/0/handle/0/body`;
  let refused = 0;
  const add = async (client: number) => {
    for (;;) {
      const { text, headers } = await running.admin("GET", path);
      const next = JSON.stringify(`${JSON.parse(text)} ${client}`);
      const { status } = await running.admin("PATCH", path, next, { "If-Match": headers.etag ?? "" });
      if (status === 200) {
        return;
      }
      expect(status).toBe(412);
      refused++;
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, client) => add(client + 1)));
  const seen = String(JSON.parse((await running.admin("GET", path)).text))
    .split(" ")
    .map(Number);
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 51 }, (_, client) => client));
  expect(refused).toBeGreaterThan(0);
});
