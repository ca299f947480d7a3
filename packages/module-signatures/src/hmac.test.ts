import { createHmac } from "node:crypto";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../admin-server/src/testing/serverfile.ts";

const secret = "a-secret-that-nobody-sees";
let server: RunningServer;

beforeAll(async () => {
  const echo = {
    handler: "static_response",
    body: "{hmac.signature} {hmac.two.signature} {http.request.body}",
  };
  const route = (path: string, ...handle: object[]) => ({
    match: [{ path: [path] }],
    handle: [...handle, echo],
  });
  const github = { algorithm: "sha256", verify: "{http.request.header.X-Hub-Signature-256}" };
  server = await RunningServer.start(
    siteConfig(
      route("/sha1", { handler: "hmac", algorithm: "sha1", secret: "secret" }),
      route("/sha256", { handler: "hmac", algorithm: "sha256", secret: "secret" }),
      route("/md5", { handler: "hmac", algorithm: "md5", secret: "secret" }),
      route(
        "/both",
        { handler: "hmac", algorithm: "sha1", secret: "{http.request.uri.query.key}" },
        { handler: "hmac", algorithm: "md5", secret: "secret", name: "two" },
      ),
      route("/verify", { handler: "hmac", secret, max_size: 100, ...github }),
      {
        match: [{ path: ["/expression"] }],
        handle: [
          {
            handler: "subroute",
            routes: [
              { handle: [{ handler: "hmac", algorithm: "sha1", secret: "secret" }] },
              {
                match: [{ expression: "{hmac.signature} == {http.request.header.X-Signature}" }],
                handle: [echo],
                terminal: true,
              },
            ],
          },
          { handler: "static_response", status_code: 401 },
        ],
      },
    ),
  );
});
afterAll(() => server.close());

const post = (path: string, body: string, headers = {}) =>
  ask(server.site + path, { method: "POST", body, headers });

// Source: abiosoft/caddy-hmac, hash_test.go
test.each([
  ["sha1", "889b4bc00e8a5d6b05c3cb47db58217cac788526"],
  ["sha256", "f28635b332e79bbb9322cebf268dc2bb7f13c90e52310d8ecb0a56bab8a8b9b7"],
  ["md5", "a54c3399cb671fe6e4abecf2b078e3ad"],
])("%s: the signature is a placeholder, and the body is still there", async (algorithm, signature) => {
  expect((await post(`/${algorithm}`, "something")).text).toBe(`${signature} {hmac.two.signature} something`);
});

test("a name tells two apart, a secret may have placeholders, but a value", async () => {
  const sha1 = createHmac("sha1", "k").update("").digest("hex");
  const md5 = createHmac("md5", "secret").update("").digest("hex");
  expect((await ask(`${server.site}/both?key=k`)).text).toBe(`${sha1} ${md5} `);
  expect((await ask(`${server.site}/both`)).status).toBe(500);
});

test("an expression compares it, as the plug-in's example does", async () => {
  const right = { "X-Signature": "889b4bc00e8a5d6b05c3cb47db58217cac788526" };
  expect((await post("/expression", "something", right)).status).toBe(200);
  expect((await post("/expression", "something else", right)).status).toBe(401);
});

test("a webhook is checked", async () => {
  const body = '{"action":"opened"}';
  const digest = createHmac("sha256", secret).update(body);
  const bytes = digest.digest();
  const ask = async (sent: string, text = body) =>
    (await post("/verify", text, { "X-Hub-Signature-256": sent })).status;
  expect(await ask(`sha256=${bytes.toString("hex")}`)).toBe(200);
  expect(await ask(bytes.toString("hex").toUpperCase())).toBe(200);
  expect(await ask(bytes.toString("base64"))).toBe(200);
  expect(await ask(`sha256=${bytes.toString("hex")}`, `${body} `)).toBe(403);
  expect(await ask(`sha1=${bytes.toString("hex")}`)).toBe(403);
  expect(await ask("sha256=")).toBe(403);
  expect((await post("/verify", body)).status).toBe(403);
  expect(await ask("", "x".repeat(101))).toBe(413);
});

test.each([
  { handler: "hmac", algorithm: "crc", secret },
  { handler: "hmac", algorithm: "sha1" },
  { handler: "hmac", algorithm: "sha1", secret: "" },
  { handler: "hmac", algorithm: "sha1", secret, name: "a b" },
])("%j is refused, and the secret is not told", async (handler) => {
  const answer = await server.admin("POST", "/validate", siteConfig({ handle: [handler] }));
  expect(answer.text).toContain('"valid":false');
  expect(answer.error).not.toBe("");
  expect(answer.error).not.toContain(secret);
});

test.each([
  ":80 {\n\thmac sha256 key\n\trespond {hmac.signature}\n}\n",
  ":80 {\n\thmac github sha1 {env.KEY} {\n\t\tverify {header.X-Hub-Signature}\n\t\tmax_size 1MiB\n\t}\n}\n",
])("text %j there and back", async (text) => {
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(JSON.stringify(result)).toContain('"handler":"hmac"');
  const back = await toServerfile(result);
  expect(adaptServerfile(Buffer.from(back), {}).result).toEqual(result);
});

test.each(["hmac", "hmac sha1", `hmac a sha1 ${secret} more`])("refuses %j", (text) => {
  expect(() => adaptServerfile(Buffer.from(`:80 {\n${text}\n}\n`), {})).toThrow(
    /unexpected number of arguments(?!.*nobody-sees)/,
  );
});
