import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSampleServer } from "../testing/sample-server.ts";
import { sampleTenants } from "../testing/sample-service.ts";
import { KeptFiles } from "./kept-files.ts";
import { openKeptStores } from "./kept-stores.ts";
import { sampleStore } from "./sample-store.ts";
import { isViewAddress, ViewStore } from "./view-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "views-"));
});
afterEach(() => rm(folder, { recursive: true }));

const view = (name: string) => ({ name, address: "/search?service=cart", note: "", savedUnixMs: 1 });

test("views survive a restart, are a tenant's own, and one of the same name is replaced", async () => {
  const store = openKeptStores(folder).views;
  await store.save("a", view("slow/../carts"));
  await store.save("a", view("2"));
  await store.save("a", { ...view("2"), note: "newer" });
  await store.save("", view("nobody's"));
  const again = openKeptStores(folder).views;
  expect(await again.list("a")).toEqual([{ ...view("2"), note: "newer" }, view("slow/../carts")]);
  expect(await again.list("b")).toEqual([]);
  await again.remove("b", "2");
  await again.remove("a", "2");
  expect((await again.list("a")).map(({ name }) => name)).toEqual(["slow/../carts"]);
});

test("a link is the same for the same address, and leads nobody of another tenant", async () => {
  const store = openKeptStores(folder).views;
  const id = await store.link("a", "/trace/1");
  expect(await store.link("a", "/trace/1")).toBe(id);
  expect(await openKeptStores(folder).views.follow("a", id)).toBe("/trace/1");
  for (const [tenant, other] of [
    ["b", id],
    ["a", "../views"],
    ["a", "none"],
  ] as const) {
    expect(await store.follow(tenant, other)).toBeUndefined();
  }
});

test("what is too much is refused and counted; what is there stays and can be replaced", async () => {
  const refused: string[] = [];
  const files = new KeptFiles(folder, 2, (kind) => refused.push(kind));
  const store = new ViewStore(files, { views: 2, links: 1 });
  await store.save("a", view("1"));
  await store.save("a", view("2"));
  await expect(store.save("a", view("3"))).rejects.toThrow("there are 2 views, the most that are kept");
  await store.save("a", { ...view("2"), note: "new" });
  await store.link("b", "/search");
  await expect(store.link("b", "/compare")).rejects.toMatchObject({ code: "QUERY_TOO_LARGE" });
  await expect(store.link("c", "/search")).rejects.toThrow("there are 2 tenants, the most that are kept");
  expect(refused).toEqual(["view", "link", "link"]);
  expect((await store.list("a")).map(({ note }) => note)).toEqual(["", "new"]);
});

test("a view gets another name where no more are kept; it takes the name of no other", async () => {
  const store = new ViewStore(new KeptFiles(folder, 1, () => {}), { views: 2, links: 1 });
  await store.save("a", { ...view("1"), note: "look" });
  await store.save("a", view("2"));
  await store.rename("a", "1", "3");
  await store.rename("a", "3", "3");
  await expect(store.rename("a", "3", "2")).rejects.toThrow("there is a view of this name");
  await expect(store.rename("a", "1", "4")).rejects.toThrow("there is no view of this name");
  await expect(store.rename("b", "3", "4")).rejects.toThrow("there is no view of this name");
  expect(await store.list("a")).toEqual([view("2"), { ...view("3"), note: "look" }]);
});

test("a file that is damaged hides no other, and a half-written one is not listed", async () => {
  const store = openKeptStores(folder).views;
  await store.save("", view("kept"));
  const [tenant = ""] = await readdir(folder);
  const views = join(folder, tenant, "views");
  await writeFile(join(views, "damaged.json"), '{"name":');
  await writeFile(join(views, "evil.json"), JSON.stringify({ ...view("evil"), address: "//evil.example" }));
  await writeFile(join(views, ".half"), "{");
  expect(await store.list("")).toEqual([view("kept")]);
});

test.each([
  ["/search?q=%7B%20%7D#x", true],
  ["/", true],
  ["//evil.example", false],
  ["/\\evil.example", false],
  ["https://evil.example", false],
  ["/a b", false],
  ["/a\r\nSet-Cookie: x", false],
  [`/${"a".repeat(8_192)}`, false],
  ["", false],
])("the address %j of a view: %s", (address, is) => {
  expect(isViewAddress(address)).toBe(is);
});

test("over HTTP: saved, listed in pages, followed below the base path, refused to other origins", async () => {
  const server = await openSampleServer(await sampleStore([]), {
    ...openKeptStores(folder),
    ...{ basePath: "/tracing" },
    tenants: sampleTenants("a", "b"),
  });
  const ask = async (path: string, body?: unknown, tenant = "a", type = "application/json") => {
    const response = await fetch(`${server.base}/tracing/${path}`, {
      headers: { "x-tenant": tenant, "content-type": type },
      redirect: "manual",
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return { response, text: await response.text() };
  };
  try {
    const api = "api/analysis/v1";
    for (const name of ["one", "two", "three"]) {
      const saved = await ask(`${api}/views`, { name, address: `/trace/${name}`, note: "look" });
      expect(saved.response.status).toBe(200);
    }
    expect(JSON.parse((await ask(`${api}/views?contains=T&limit=1&offset=1`)).text)).toEqual({
      total: 3,
      views: [{ name: "three", address: "/trace/three", note: "look", saved: expect.any(Number) }],
    });
    expect(JSON.parse((await ask(`${api}/views`, undefined, "b")).text)).toEqual({ total: 0, views: [] });
    expect((await ask(`${api}/views/rename`, { name: "one", to: "three" })).response.status).toBe(400);
    expect((await ask(`${api}/views/rename`, { name: "one", to: "1" })).text).toBe('{"name":"1"}');
    await ask(`${api}/views/remove`, { name: "two" });
    expect(JSON.parse((await ask(`${api}/views?contains=/trace/two`)).text).total).toBe(0);
    const { path } = JSON.parse((await ask(`${api}/links`, { address: "/trace/1?x=1" })).text);
    const followed = await ask(path);
    expect([followed.response.status, followed.response.headers.get("location")]).toEqual([
      302,
      "../trace/1?x=1",
    ]);
    expect((await ask(path, undefined, "b")).response.status).toBe(404);
    for (const [body, type] of [
      [{ address: "//evil.example" }, undefined],
      [{ address: "/trace/1" }, "text/plain"],
    ] as const) {
      expect((await ask(`${api}/links`, body, "a", type)).response.status).toBe(400);
    }
  } finally {
    await server.stop(AbortSignal.abort());
  }
});
