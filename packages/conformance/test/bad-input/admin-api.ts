import { connect } from "node:net";
import { expect, test } from "vitest";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { type Answer, ask } from "../../src/tracing-api/ask.ts";
import { head, rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

const mebibyte = 1024 * 1024;

/** Tests of the web server's admin API. */
export function adminApi(backend: () => AllProcesses): void {
  const url = () => backend().addresses.admin;
  const host = () => new URL(url()).host;
  const admin = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    ask(url() + path, {
      method,
      headers: { "Content-Type": "application/json", Origin: url(), ...headers },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
  /** The whole config, which bad input must not change. */
  const config = async () => (await admin("GET", "/config/")).text;

  staysUnharmed({
    process: () => backend().adminServer,
    good: async () => {
      expect(
        (await admin("GET", "/config/apps/http/servers/front_door/routes/1/handle/1/handler")).text,
      ).toBe('"tracing"\n');
      expect((await ask(`${backend().frontDoor}/api/services`)).status).toBe(200);
    },
    maxGrowthMiB: 384,
  });

  const server = (fields: unknown) => ({ apps: { http: { servers: { s: fields } } } });
  const handler = (fields: unknown) => server({ routes: [{ handle: [fields] }] });
  test.each<[string, unknown, string]>([
    [
      "text that is no JSON",
      "{bad",
      "decoding request body: invalid character 'b' looking for beginning of object key string",
    ],
    ["JSON that ends early", '{"apps":', "unexpected end of JSON input"],
    ["JSON with more behind it", "{} {}", "after top-level value"],
    ["nothing", "", "the body is empty"],
    ["a list", [], "cannot unmarshal array"],
    ["a number", 7, "cannot unmarshal number"],
    ["a number of no range", '{"apps":{"http":{"http_port":1e999}}}', "out of the range"],
    ["an unknown field at the top", { bogus: 1 }, 'unknown field "bogus"'],
    ["an unknown field of a server", server({ bogus: 1 }), "at /config/apps/http/servers/s/bogus"],
    [
      "an unknown field of a handler",
      handler({ handler: "static_response", bogus: 1 }),
      'unknown field "bogus"',
    ],
    ["an unknown app", { apps: { nope: {} } }, "unknown module: nope"],
    ["an app by the id of another module", { apps: { "http.handlers.vars": {} } }, "unknown module"],
    ["an unknown handler", handler({ handler: "nope" }), "unknown module: http.handlers.nope"],
    [
      "an unknown matcher",
      server({ routes: [{ match: [{ nope: 1 }] }] }),
      "unknown module: http.matchers.nope",
    ],
    ["a text for a list", server({ listen: "127.0.0.1:0" }), "cannot unmarshal string"],
    ["a list for a text", handler({ handler: "static_response", body: [] }), "cannot unmarshal array"],
    ["a port of no range", server({ listen: ["127.0.0.1:99999"] }), "99999"],
    [
      "an upstream that is none",
      handler({ handler: "reverse_proxy", upstreams: [{ dial: "nowhere" }] }),
      "nowhere",
    ],
    ["a duration that is none", server({ read_timeout: "soon" }), "invalid duration"],
    [
      "the same @id twice",
      { apps: { http: { "@id": "x", servers: { s: { "@id": "x" } } } } },
      "duplicate ID 'x'",
    ],
    ["1,100 levels", "[".repeat(1_100) + "]".repeat(1_100), "deeper than the limit of 1000"],
    ["constructor as a field", server({ constructor: { prototype: {} } }), 'unknown field \\"constructor\\"'],
    ["__proto__ as a field", '{"__proto__":{"polluted":1}}', 'unknown field \\"__proto__\\"'],
    [
      "__proto__ as a server's field",
      '{"apps":{"http":{"servers":{"s":{"__proto__":{"polluted":1}}}}}}',
      "unknown field",
    ],
    ["__proto__ as an app's field", '{"apps":{"http":{"__proto__":{"polluted":1}}}}', "unknown field"],
  ])("POST /load of %s is 400, and the old config goes on", async (_, body, error) => {
    const before = await config();
    const answer = await admin("POST", "/load", body);
    expect([answer.status, answer.contentType, answer.text.replaceAll('\\"', '"')]).toEqual([
      400,
      "application/json",
      expect.stringContaining(error.replaceAll('\\"', '"')),
    ]);
    expect(await config()).toBe(before);
  });

  test.each<[string, string, number]>([
    ["GET", "/config/__proto__", 200],
    ["GET", "/config/__proto__/polluted", 400],
    ["GET", "/config/constructor/prototype", 400],
    ["GET", "/config/apps/http/servers/front_door/routes/__proto__", 400],
    ["GET", "/config/apps/http/servers/front_door/routes/length", 400],
    ["GET", "/config/apps/http/servers/front_door/routes/-1", 400],
    ["GET", "/config/apps/http/servers/front_door/routes/01", 400],
    ["GET", "/config/apps/http/servers/front_door/routes/99999999999999999999", 400],
    ["GET", `/config/${"a/".repeat(2_000)}`, 400],
    ["GET", "/config/%zz", 400],
    ["GET", "/id/__proto__", 404],
    ["GET", "/id/constructor", 404],
    ["GET", "/nope", 404],
    ["GET", "/load", 405],
    ["GET", "/stop", 405],
    ["OPTIONS", "/config/", 405],
    ["POST", "/config/__proto__", 400],
    ["PUT", "/config/constructor", 400],
    ["PATCH", "/config/__proto__", 404],
    ["DELETE", "/config/apps/http/servers/toString", 404],
    ["POST", "/config/constructor/prototype/polluted", 400],
    ["POST", "/config/__proto__/polluted", 400],
    ["PUT", "/config/apps/http/servers/front_door/routes/hasOwnProperty", 400],
    ["POST", "/config/apps/http/servers/front_door/listen/...", 400],
  ])("%s %s is %i, and the config stays", async (method, path, status) => {
    const before = await config();
    const hasBody = !["GET", "DELETE", "OPTIONS"].includes(method);
    expect((await admin(method, path, hasBody ? { polluted: 1 } : undefined)).status).toBe(status);
    expect((await admin("GET", "/config/polluted")).text, "no prototype was changed").toBe("null\n");
    expect(await config()).toBe(before);
  });

  test("other content types, and If-Match that is none, are refused", async () => {
    const text = (headers: Record<string, string>, path = "/config/apps") =>
      admin("POST", path, "{}", headers);
    expect((await text({ "Content-Type": "text/plain" })).status).toBe(400);
    expect((await text({ "Content-Type": "text/nonsense" }, "/load")).status).toBe(400);
    expect((await text({ "If-Match": "nonsense" })).status).toBe(400);
    expect((await text({ "If-Match": '"/config/ 0000000000000000"' })).status).toBe(412);
  });

  test("a body of 101 MiB is 413, with its length said and without", async () => {
    const fields = [`Host: ${host()}`, "Content-Type: application/json"];
    const said = head("POST /load HTTP/1.1", ...fields, `Content-Length: ${101 * mebibyte}`);
    expect((await rawHttp(url(), said)).status).toBe(413);

    // A body without a length is sent until the answer arrives.
    const { hostname, port } = new URL(url());
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      answer += data.toString("latin1");
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(head("POST /load HTTP/1.1", ...fields, "Transfer-Encoding: chunked"));
    const chunk = Buffer.concat([
      Buffer.from("100000\r\n"),
      Buffer.alloc(mebibyte, 0x20),
      Buffer.from("\r\n"),
    ]);
    for (let sent = 0; sent < 101 && answer === "" && !socket.destroyed; sent++) {
      if (!socket.write(chunk)) {
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      }
    }
    await closed;
    // The answer, or the end of the connection, comes before all bytes are sent.
    expect(answer === "" || answer.startsWith("HTTP/1.1 413 ")).toBe(true);
  });

  const get = "GET /config/ HTTP/1.1";
  test.each<[string, (host: string) => string, number]>([
    ["a foreign Host", () => head(get, "Host: evil.example"), 403],
    ["this Host with another port", () => head(get, "Host: 127.0.0.1:1"), 403],
    [
      "a foreign authority before a good Host",
      (own) => head("GET http://evil.example/config/ HTTP/1.1", `Host: ${own}`),
      403,
    ],
    ["a foreign Origin", (own) => head(get, `Host: ${own}`, "Origin: http://evil.example"), 403],
    [
      "an Origin that begins as ours",
      (own) => head(get, `Host: ${own}`, `Origin: http://${own}.evil.example`),
      403,
    ],
    ["a null Origin", (own) => head(get, `Host: ${own}`, "Origin: null"), 400],
    ["a browser without Origin", (own) => head(get, `Host: ${own}`, "Sec-Fetch-Mode: cors"), 403],
    [
      "a no-cors request",
      (own) => head(get, `Host: ${own}`, `Origin: http://${own}`, "Sec-Fetch-Mode: no-cors"),
      400,
    ],
    ["a WebSocket", (own) => head(get, `Host: ${own}`, "Connection: Upgrade", "Upgrade: websocket"), 400],
    ["no Host", () => head(get), 400],
    ["* as target", (own) => head("GET * HTTP/1.1", `Host: ${own}`), 404],
    ["an unknown method", (own) => head("FOO /config/ HTTP/1.1", `Host: ${own}`), 405],
    [
      "two lengths",
      (own) =>
        `${head("POST /load HTTP/1.1", `Host: ${own}`, "Content-Length: 6", "Transfer-Encoding: chunked")}0\r\n\r\nG`,
      400,
    ],
    ["headers of 65 KiB", (own) => head(get, `Host: ${own}`, `A: ${"a".repeat(65 * 1024)}`), 431],
    [
      "a body that ends early",
      (own) => `${head("POST /load HTTP/1.1", `Host: ${own}`, "Content-Length: 99")}{}`,
      400,
    ],
  ])("%s is refused", async (_, text, status) => {
    const before = await config();
    const answer = await rawHttp(url(), text(host()), { halfClose: true });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain("front_door");
    expect(await config()).toBe(before);
  });

  test("headers of 1 MiB are refused, or cut while they come", async () => {
    const { status } = await rawHttp(url(), head(get, `Host: ${host()}`, `A: ${"a".repeat(mebibyte)}`));
    expect([431, 0]).toContain(status);
  });
}
