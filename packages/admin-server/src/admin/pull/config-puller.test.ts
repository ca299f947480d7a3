import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { createTestAuthority } from "lifecycle/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunningServer, respond, siteConfig } from "../../testing/running-server.ts";

/** The present answer of the config source. */
let answer: { status: number; type: string; body: string };
let asked: IncomingMessage[];
/** The source answers when this promise resolves. */
let mayAnswer: Promise<void>;
let source: Server;
let url: string;
let running: RunningServer;

beforeEach(async () => {
  asked = [];
  mayAnswer = Promise.resolve();
  source = createServer(async (request, response) => {
    asked.push(request);
    await mayAnswer;
    response.writeHead(answer.status, { "Content-Type": answer.type });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(source.address() as { port: number }).port}/c`;
  running = await RunningServer.start();
});
afterEach(async () => {
  await running.close();
  await new Promise((resolve) => source.close(resolve));
});

const pulling = (load: object, more: object = {}) => ({
  admin: { config: { load: { module: "http", url, ...load }, ...more } },
});
const json = (config: unknown) => ({ status: 200, type: "application/json", body: JSON.stringify(config) });

/** Resolves with the next config that is pulled. */
async function pulled(): Promise<unknown> {
  const next = Promise.withResolvers<unknown>();
  running.server.engine.onChange(({ config, author }) => {
    if (author.startsWith("pulled from")) {
      next.resolve(config);
    }
  });
  return next.promise;
}

test("follows the config that asks for it, and is not saved", async () => {
  answer = json(siteConfig(respond("pulled")));
  const arrived = pulled();
  const wanted = pulling({ method: "POST", header: { "X-Key": ["k"] } });
  expect((await running.admin("POST", "/load", wanted)).status).toBe(200);
  expect(await arrived).toEqual(siteConfig(respond("pulled")));
  expect([asked[0]?.method, asked[0]?.headers["x-key"]]).toEqual(["POST", "k"]);
  const saved = await readFile(join(running.configFolder, "server", "autosave.json"), "utf8");
  expect(JSON.parse(saved)).toEqual(wanted);
  const [entry] = JSON.parse((await running.admin("GET", "/history")).text) as { author: string }[];
  expect(entry?.author).toBe(`pulled from ${url}`);
});

test("says how it went: not asked yet, failed, succeeded, without the secrets of its address", async () => {
  const state = async () =>
    JSON.parse((await running.admin("GET", "/pull")).text) as Record<string, unknown> | null;
  expect(await state()).toBeNull();
  answer = { status: 503, type: "text/plain", body: "" };
  const held = Promise.withResolvers<void>();
  mayAnswer = held.promise;
  const secret = `${url.replace("http://", "http://me:secret@")}?token=secret`;
  await running.admin("POST", "/load", pulling({ url: secret }, { load_delay: "10ms" }));
  expect(await state()).toEqual({ url, last_try: null, last_success: null, last_error: null });
  held.resolve();
  await vi.waitFor(async () => expect((await state())?.last_error).toMatch(/503/), { timeout: 60_000 });
  expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:secret").toString("base64")}`);
  expect(JSON.stringify(await state())).not.toContain("secret");
  expect((await state())?.last_success).toBeNull();
  answer = json(pulling({ url: secret }, { load_delay: "10ms" }));
  await vi.waitFor(async () => expect((await state())?.last_error).toBeNull(), { timeout: 60_000 });
  expect(await state()).toMatchObject({ last_success: expect.stringMatching(/Z$/) });
  await running.admin("POST", "/load", {});
  expect(await state()).toBeNull();
});

test("gives up what it pulled when another config takes the place of the one that asks, also in the queue", async () => {
  const held = Promise.withResolvers<void>();
  mayAnswer = held.promise;
  answer = json(siteConfig(respond("pulled")));
  await running.admin("POST", "/load", pulling({}, { load_delay: "10ms" }));
  await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 60_000 });
  const file = (name: string) => join(running.configFolder, name);
  await writeFile(
    file("slow.mjs"),
    `import { existsSync, writeFileSync } from "node:fs";
     writeFileSync(${JSON.stringify(file("started"))}, "");
     while (!existsSync(${JSON.stringify(file("go"))})) await new Promise((next) => setTimeout(next, 5));
     export default [];`,
  );
  const other = { modules: [file("slow.mjs")] };
  const loading = running.admin("POST", "/load", other);
  await vi.waitFor(() => readFile(file("started")), { timeout: 60_000 });
  held.resolve();
  await sleep(200); // the pulled config now waits behind the other config
  await writeFile(file("go"), "");
  expect((await loading).status).toBe(200);
  await running.admin("POST", "/config/apps", {});
  expect(JSON.parse((await running.admin("GET", "/config/")).text)).toEqual({ ...other, apps: {} });
});

test("reads other formats, by Content-Type or by name", async () => {
  answer = { status: 200, type: "text/yaml", body: "apps: {http: {}}" };
  let arrived = pulled();
  await running.admin("POST", "/load", pulling({}));
  expect(await arrived).toEqual({ apps: { http: {} } });
  answer = { status: 200, type: "text/plain", body: "{apps: {}}" };
  arrived = pulled();
  await running.admin("POST", "/load", pulling({ adapter: "json5" }));
  expect(await arrived).toEqual({ apps: {} });
});

test("with a delay it tries until there is a new one that runs", async () => {
  answer = { status: 500, type: "text/plain", body: "" };
  const wanted = pulling({}, { load_delay: "10ms" });
  expect((await running.admin("POST", "/load", wanted)).status).toBe(200);
  const askedTimes = async (times: number) => {
    while (asked.length < times) {
      await new Promise((resolve) => source.once("request", resolve));
    }
  };
  await askedTimes(2);
  answer = json(wanted);
  await askedTimes(asked.length + 2);
  answer = json({ zzz: 1 });
  await askedTimes(asked.length + 2);
  const arrived = pulled();
  const next = pulling({}, { load_delay: "1h" });
  answer = json(next);
  expect(await arrived).toEqual(next);
});

describe("refuses the config that asks for it", () => {
  test.each<[string, () => typeof answer, string]>([
    ["when the source says no", () => ({ status: 404, type: "text/plain", body: "x" }), "status 404"],
    [
      "when nothing comes",
      () => ({ status: 200, type: "application/json", body: "" }),
      "the answer is empty",
    ],
    [
      "when it cannot be read",
      () => ({ status: 200, type: "text/yaml", body: "a: [" }),
      "adapting config using yaml adapter",
    ],
    [
      "when its format is unknown",
      () => ({ status: 200, type: "text/zzz", body: "x" }),
      "unrecognized config adapter 'zzz'",
    ],
  ])("%s", async (_, make, message) => {
    answer = make();
    const refused = await running.admin("POST", "/load", pulling({}));
    expect([refused.status, refused.error]).toEqual([400, expect.stringContaining(message)]);
    expect((await running.admin("GET", "/config/")).text).toBe("null\n");
  });

  test("when nobody is there", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => gone.once("listening", resolve));
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    const refused = await running.admin("POST", "/load", pulling({ url: `http://127.0.0.1:${port}/` }));
    expect(refused.error).toMatch(/pulling config from http:\/\/127\.0\.0\.1:\d+\/: .*ECONNREFUSED/);
  });

  test("when it takes too long", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const refused = await running.admin(
      "POST",
      "/load",
      pulling({ url: `http://127.0.0.1:${port}/`, timeout: "50ms" }),
    );
    expect(refused.error).toContain("timeout");
    silent.closeAllConnections();
    silent.close();
  });
});

test("a pulled config may not pull at once again", async () => {
  answer = json(pulling({ header: {} }));
  await running.admin("POST", "/load", pulling({}));
  await expect.poll(() => asked.length).toBe(1);
  expect(JSON.parse((await running.admin("GET", "/config/")).text)).toEqual(pulling({}));
});

test("shows the certificate of the server's identity, once there is one", async () => {
  const authority = createTestAuthority();
  const { cert, key } = authority.issue("localhost");
  const root = join(running.configFolder, "root.pem");
  await writeFile(root, authority.cert);
  const names: string[] = [];
  const secure = createTlsServer(
    { cert, key, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      names.push((request.socket as TLSSocket).getPeerCertificate().subjectaltname ?? "");
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(siteConfig(respond("pulled"))));
    },
  );
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const from = `https://localhost:${(secure.address() as { port: number }).port}/`;
  const tls = { use_server_identity: true, root_ca_pem_files: [root] };
  const admin = (more: object) => ({
    admin: {
      identity: { identifiers: ["web1.internal"], issuers: [{ module: "internal" }] },
      config: { load: { module: "http", url: from, tls }, ...more },
    },
  });
  try {
    const refused = await running.admin("POST", "/load", admin({}));
    expect([refused.status, refused.error]).toEqual([400, expect.stringContaining("needs a load_delay")]);
    const arrived = pulled();
    expect((await running.admin("POST", "/load", admin({ load_delay: "10ms" }))).status).toBe(200);
    await arrived;
    expect(names[0]).toBe("DNS:web1.internal");
  } finally {
    secure.closeAllConnections();
    secure.close();
  }
});
