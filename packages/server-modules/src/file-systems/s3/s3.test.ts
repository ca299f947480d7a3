// The file system s3 against a real server of S3's API: MinIO where somebody has built it, or gofakes3 of conformance/peers.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
import { bucketProgram, SampleBucket } from "../testing/sample-bucket.ts";

const secret = "a-secret-that-no-log-shows";
const many = 1_500;
const large = Buffer.alloc(3_000_000, "0123456789abcdef");
const fixed = { force_path_style: true, access_key_id: "key", secret_access_key: secret };

const filesystems = (endpoint: string, more: object = {}) => ({
  filesystems: [
    { name: "assets", file_system: { backend: "s3", bucket: "files", endpoint, ...fixed, ...more } },
  ],
});

const appsOf = (config: unknown) => (config as { readonly apps: object }).apps;

describe.skipIf(bucketProgram === undefined)("a bucket", () => {
  let bucket: SampleBucket;
  let server: RunningServer;
  const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
    ask(server.site, { target, headers, method });

  beforeAll(async () => {
    bucket = await SampleBucket.start("files");
    await bucket.put({
      "index.html": "home",
      "site/index.html": "site",
      "site/app.js": "code",
      "site/app.js.gz": "packed",
      "site/.hidden": "no",
      "deep/a/b.txt": "b",
      "odd/a b+c%20ü(1).txt": "odd",
      "odd/folder/x.txt": "x",
      "keys/state=fl/@*'!(x)&;.txt": "special",
      "large.bin": large,
    });
    const names = Array.from({ length: many }, (_, index) => [
      `many/${String(index).padStart(4, "0")}.txt`,
      "x",
    ]);
    await bucket.put(Object.fromEntries(names));
    const files = (more: object = {}) => ({ handler: "file_server", fs: "assets", ...more });
    const config = siteConfig(
      {
        match: [{ path: ["/spa/*"] }],
        handle: [
          {
            handler: "subroute",
            routes: [
              {
                handle: [
                  { handler: "vars", fs: "assets", root: "/site" },
                  { handler: "rewrite", strip_path_prefix: "/spa" },
                ],
              },
              {
                match: [{ file: { try_files: ["{http.request.uri.path}", "/index.html"] } }],
                handle: [{ handler: "rewrite", uri: "{http.matchers.file.relative}" }],
              },
              { handle: [{ handler: "file_server" }] },
            ],
          },
        ],
      },
      {
        match: [{ not: [{ file: { fs: "assets", root: "/" } }], path: ["/next/*"] }],
        handle: [files({ pass_thru: true }), { handler: "static_response", body: "next" }],
      },
      { match: [{ path: ["/unknown/*"] }], handle: [files({ fs: "{http.request.uri.path.file}" })] },
      {
        match: [{ path: ["/list/*"] }],
        handle: [{ handler: "rewrite", strip_path_prefix: "/list" }, files({ browse: {}, index_names: [] })],
      },
      { handle: [files({ root: "/", hide: [".hidden"], precompressed: { gzip: {} } })] },
    );
    server = await RunningServer.start({
      apps: { ...appsOf(config), "caddy.filesystems": filesystems(bucket.endpoint) },
    });
  });
  afterAll(async () => {
    await server?.close();
    await bucket?.close();
  });

  test("a file has its tag, its time, its type and its length", async () => {
    const { status, headers, text } = await get("/site/app.js");
    expect([status, text]).toEqual([200, "code"]);
    expect(headers).toMatchObject({
      "content-length": "4",
      "content-type": "text/javascript; charset=utf-8",
      "accept-ranges": "bytes",
      etag: `"${createHash("md5").update("code").digest("hex")}"`,
    });
    expect(Date.now() - Date.parse(String(headers["last-modified"]))).toBeLessThan(600_000);
    const head = await get("/site/app.js", {}, "HEAD");
    expect([head.status, head.text, head.headers.etag]).toEqual([200, "", headers.etag]);
    expect((await get("/site/app.js", {}, "POST")).status).toBe(405);
  });

  test("what a client has is not sent again, and a condition that fails is said", async () => {
    const { headers } = await get("/site/app.js");
    const [etag, time] = [String(headers.etag), String(headers["last-modified"])];
    expect((await get("/site/app.js", { "If-None-Match": etag })).status).toBe(304);
    expect((await get("/site/app.js", { "If-Modified-Since": time })).status).toBe(304);
    expect((await get("/site/app.js", { "If-Match": '"other"' })).status).toBe(412);
    expect((await get("/site/app.js", { "If-None-Match": '"other"' })).text).toBe("code");
  });

  test.each([
    ["bytes=0-3", "0123"],
    ["bytes=1000000-1000005", large.subarray(1_000_000, 1_000_006).toString()],
    ["bytes=-4", "cdef"],
  ])("the range %s", async (Range, expected) => {
    const { status, text, headers } = await get("/large.bin", { Range });
    expect([status, text]).toEqual([206, expected]);
    expect(headers["content-range"]).toMatch(/^bytes \d+-\d+\/3000000$/);
  });

  test("several ranges, one beyond the end, and too many", async () => {
    const several = await get("/large.bin", { Range: "bytes=0-1,16-17" });
    expect(several.status).toBe(206);
    expect(several.text.match(/\r\n\r\n01\r\n/g)).toHaveLength(2);
    expect((await get("/large.bin", { Range: "bytes=9000000-" })).status).toBe(416);
    const ranges = Array.from({ length: 9 }, (_, index) => `${index * 2}-${index * 2}`).join(",");
    expect((await get("/large.bin", { Range: `bytes=${ranges}` }, "HEAD")).status).toBe(200);
  });

  test("a large file comes whole", async () => {
    const answer = await fetch(`${server.site}/large.bin`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(large)).toBe(true);
  });

  test("a folder shows its index file, and is redirected to its slash", async () => {
    expect((await get("/")).text).toBe("home");
    expect((await get("/site/")).text).toBe("site");
    const { status, headers } = await get("/site");
    expect([status, headers.location]).toEqual([308, "/site/"]);
    expect((await get("/site/app.js/")).headers.location).toBe("/site/app.js");
    expect((await get("/deep/")).status).toBe(404);
  });

  test.each(["/absent", "/site/.hidden", "/unknown/x", "/deep/a/b", `/${"x".repeat(1100)}`, "/%ff"])(
    "%s is not there",
    async (target) => {
      expect((await get(target)).status).toBe(404);
    },
  );

  test("a compressed file beside it is sent to those that take it", async () => {
    const { text, headers } = await get("/site/app.js", { "Accept-Encoding": "gzip" });
    expect([text, headers["content-encoding"], headers.vary]).toEqual(["packed", "gzip", "Accept-Encoding"]);
  });

  test("what was stored compressed is readable, and stored fields count where nothing else does", async () => {
    const packed = gzipSync("readable");
    await bucket.put(
      { "stored/page.html": packed, "stored/page": packed },
      { "Content-Encoding": "gzip", "Content-Type": "text/x-own" },
    );
    const answer = await fetch(`${server.site}/stored/page`);
    expect(await answer.text()).toBe("readable");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-encoding": "gzip",
      "content-type": "text/x-own",
    });
    expect((await get("/stored/page.html")).headers["content-type"]).toBe("text/html; charset=utf-8");
    const part = await get("/stored/page.html", { Range: "bytes=0-1" });
    expect([part.status, part.headers["content-encoding"]]).toEqual([206, "gzip"]);
  });

  test("names of any characters", async () => {
    const { text } = await get(`/odd/${encodeURIComponent("a b+c%20ü(1).txt")}`);
    expect(text).toBe("odd");
    expect((await get("/keys/state=fl/@*'!(x)&;.txt")).text).toBe("special");
    const listed = JSON.parse((await get("/list/odd/", { Accept: "application/json" })).text);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(["folder/", "a b+c%20ü(1).txt"]);
  });

  test("a listing of 1,500 files comes in pages of the service, and in pages of ours", async () => {
    const list = async (query: string) =>
      JSON.parse((await get(`/list/many/${query}`, { Accept: "application/json" })).text);
    const all = await list("");
    expect(all).toHaveLength(many);
    expect(all[0]).toMatchObject({ name: "0000.txt", size: 1, url: "./0000.txt", is_dir: false });
    expect(all.at(-1).name).toBe("1499.txt");
    expect((await list("?limit=10&offset=1200")).map(({ name }: { name: string }) => name)[0]).toBe(
      "1200.txt",
    );
    const root = JSON.parse((await get("/list/", { Accept: "application/json" })).text);
    expect(root.filter(({ is_dir }: { is_dir: boolean }) => is_dir)).toHaveLength(6);
    expect((await get("/list/many/")).headers["last-modified"]).toBeUndefined();
  });

  test("try_files finds files of the bucket, and falls back", async () => {
    expect((await get("/spa/app.js")).text).toBe("code");
    expect((await get("/spa/some/page")).text).toBe("site");
  });

  test("a matcher within not waits too, and pass_thru goes on", async () => {
    expect((await get("/next/absent")).text).toBe("next");
  });

  test("an object that is replaced meanwhile is not mixed: the second request has the new one", async () => {
    await bucket.put({ "changing.txt": "one" });
    expect((await get("/changing.txt")).text).toBe("one");
    await bucket.put({ "changing.txt": "two!" });
    expect((await get("/changing.txt")).text).toBe("two!");
    await bucket.remove("changing.txt");
    expect((await get("/changing.txt")).status).toBe(404);
  });

  test("a bucket that is not there is the gateway's fault, and no error has a secret", async () => {
    const config = siteConfig({ handle: [{ handler: "file_server", fs: "assets", browse: {} }] });
    const other = await RunningServer.start({
      apps: { ...appsOf(config), "caddy.filesystems": filesystems(bucket.endpoint, { bucket: "nobodys" }) },
    });
    const answer = await ask(other.site, { headers: { Accept: "application/json" } });
    expect([answer.status, JSON.stringify(answer).includes(secret)]).toEqual([502, false]);
    await other.close();
  });
});

test("a service that is away is 502, one that is silent 504", async () => {
  const config = siteConfig({ handle: [{ handler: "file_server", fs: "assets" }] });
  const server = await RunningServer.start({
    apps: { ...appsOf(config), "caddy.filesystems": filesystems("http://127.0.0.1:1") },
  });
  expect((await ask(server.site, { target: "/a" })).status).toBe(502);
  await server.close();
});

test.each([
  [{ bucket: "{env.NOBODY_SETS_THIS}" }, "bucket is missing or empty"],
  [{ secret_access_key: "" }, "access_key_id and secret_access_key come together"],
  [{ endpoint: "ftp://x" }, "endpoint: no URL of http or https"],
  [{ endpoint: "http://user:pass@x" }, "endpoint: no URL of http or https"],
  [{ max_requests: 0 }, "max_requests"],
])("a config with %j is refused", async (more, message) => {
  const server = await RunningServer.start();
  const apps = { "caddy.filesystems": filesystems("http://127.0.0.1:1", more) };
  const answer = await server.admin("POST", "/load", { apps });
  expect(answer.error).toContain(message);
  expect(answer.error).not.toContain("pass@");
  await server.close();
});

test("the text, there and back", async () => {
  const text = `{
	filesystem assets s3 {
		bucket my-assets
		region eu-central-1
		profile web
		endpoint https://objects.example.com
		force_path_style
		timeout 5s
	}
	filesystem more s3 {
		bucket other
	}
}

:80 {
	fs assets
	try_files {path} /index.html
	file_server
}
`;
  const { result, warnings } = adaptServerfile(Buffer.from(text), {});
  expect(warnings).toEqual([]);
  expect(result).toMatchObject({
    apps: {
      "caddy.filesystems": {
        filesystems: [
          {
            name: "assets",
            file_system: {
              backend: "s3",
              bucket: "my-assets",
              region: "eu-central-1",
              profile: "web",
              endpoint: "https://objects.example.com",
              force_path_style: true,
              timeout: 5_000_000_000,
            },
          },
          { name: "more", file_system: { backend: "s3", bucket: "other" } },
        ],
      },
    },
  });
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});

test.each([
  ["filesystem a s3 {\n\tbuckets x\n}", "buckets not a valid caddy.fs.s3 option"],
  ["filesystem a zip", "module not registered: caddy.fs.zip"],
  ["filesystem a", "wrong argument count"],
])("refuses %j", (option, message) => {
  expect(() => adaptServerfile(Buffer.from(`{\n${option}\n}\n\n:80\n`), {})).toThrow(message);
});

test.each([
  ["handler", { handle: [{ handler: "file_server", fs: "asets" }] }],
  ["matcher", { match: [{ file: { fs: "asets" } }], handle: [] }],
])("a %s that names another file system than those of the app is refused", async (_name, route) => {
  const server = await RunningServer.start();
  const apps = { ...appsOf(siteConfig(route)), "caddy.filesystems": filesystems("http://127.0.0.1:1") };
  const answer = await server.admin("POST", "/load", { apps });
  expect(answer.error).toContain('fs: no file system is named "asets": there are assets');
  await server.close();
});
