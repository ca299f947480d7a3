import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("one")));
});
afterAll(() => running.close());

const siteBody = async () => (await ask(running.site)).text;

test("POST /load replaces the whole config", async () => {
  expect(await running.admin("POST", "/load", siteConfig(respond("two")))).toMatchObject({
    status: 200,
    text: "",
  });
  expect(await siteBody()).toBe("two");
});

test.each([
  ["an empty body", "", {}, "the body is empty"],
  ["no JSON", '{"x', {}, "loading config: decoding request body: unexpected end of JSON input, at offset 3"],
  ["an unknown field", '{"zzz":1}', {}, 'loading config: loading new config: json: unknown field "zzz"'],
  ["an unknown adapter", "x", { "Content-Type": "text/zzz" }, "unrecognized config adapter 'zzz'"],
  ["no media type", "{}", { "Content-Type": ";" }, "invalid Content-Type: mime: no media type"],
  ["a media type without a slash", "{}", { "Content-Type": "zzz" }, "malformed Content-Type"],
  ["a scalar", "5", {}, "cannot unmarshal number"],
])("/load refuses %s and the old config goes on", async (_, body, headers, message) => {
  const before = await siteBody();
  const answer = await running.admin("POST", "/load", body, headers);
  expect(answer.status).toBe(400);
  expect(answer.error).toContain(message);
  expect(await siteBody()).toBe(before);
});

test.each(["/load", "/adapt", "/stop"])("GET %s is not allowed", async (path) => {
  expect(await running.admin("GET", path)).toMatchObject({ status: 405, error: "method not allowed" });
});

test("/adapt gives JSON back and loads nothing", async () => {
  const answer = await running.admin("POST", "/adapt", '{"b":[ 1 ],"a":2}');
  expect(answer).toMatchObject({ status: 200, text: '{"result":{"b":[1],"a":2}}\n' });
  expect(await siteBody()).toBe("two");
  expect((await running.admin("POST", "/adapt", '{"a')).status).toBe(400);
});

test("/adapt runs no module that the config that runs does not have", async () => {
  const folder = await mkdtemp(join(tmpdir(), "adapt-"));
  const [file, ran] = [join(folder, "own.mjs"), join(folder, "ran")];
  await writeFile(
    file,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, "");`,
  );
  const text = { "Content-Type": "text/serverfile" };
  const refusal = { status: 400, error: expect.stringContaining("is not of the config that runs") };
  const posted = `{\n\tmodules ${file}\n}\n:80 {\n\trespond hi\n}\n`;
  expect(await running.admin("POST", "/adapt", posted, text)).toMatchObject(refusal);
  const asText = { Accept: "text/serverfile" };
  expect(await running.admin("POST", "/adapt", JSON.stringify({ modules: [file] }), asText)).toMatchObject(
    refusal,
  );
  expect(existsSync(ran)).toBe(false);
  await rm(folder, { recursive: true });
});

test("/stop answers first, then the stop begins", async () => {
  expect(await running.admin("POST", "/stop")).toMatchObject({ status: 200, text: "" });
  await running.stopRequested;
});

test("unknown paths are plain 404", async () => {
  const answer = await running.admin("GET", "/foo");
  expect(answer).toMatchObject({ status: 404, text: "404 page not found\n" });
  expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(answer.headers["x-content-type-options"]).toBe("nosniff");
});

test("/reverse_proxy/upstreams is an empty list without a proxy", async () => {
  expect(await running.admin("GET", "/reverse_proxy/upstreams")).toMatchObject({ status: 200, text: "[]\n" });
  expect((await running.admin("POST", "/reverse_proxy/upstreams")).status).toBe(405);
});

describe("other formats", () => {
  const yaml = { "Content-Type": "text/yaml" };
  const text = `apps:
  http:
    servers:
      s:
        listen: ["127.0.0.1:0"]
        routes: [{handle: [{handler: static_response, body: from YAML}]}]
`;

  test("are loaded as the JSON they mean", async () => {
    expect(await running.admin("POST", "/load", text, yaml)).toMatchObject({ status: 200, text: "" });
    expect(JSON.parse((await running.admin("GET", "/config/")).text)).toEqual(
      siteConfig(respond("from YAML")),
    );
    expect(await siteBody()).toBe("from YAML");
  });

  test("are adapted without being loaded", async () => {
    const answer = await running.admin("POST", "/adapt", "{b: 1, /* c */ a: '<'}", {
      "Content-Type": "application/json5",
    });
    expect(answer).toMatchObject({ status: 200, text: '{"result":{"a":"\\u003c","b":1}}\n' });
  });

  test.each(["/load", "/adapt"])("%s tells line and column of a fault", async (path) => {
    const answer = await running.admin("POST", path, "a: 1\nb: [", yaml);
    expect([answer.status, answer.error]).toEqual([
      400,
      expect.stringMatching(/^adapting config using yaml adapter: .*, at line 2, column 5$/),
    ]);
  });

  test("may warn", async () => {
    const answer = await running.admin("POST", "/adapt", "%FOO bar\n---\na: 1\n", yaml);
    expect(answer.text).toMatch(/^\{"warnings":\[\{"line":1,"message":".+"\}\],"result":\{"a":1\}\}\n$/);
  });
});
