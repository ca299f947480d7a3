import { X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createTestAuthority, type TestCertificate } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../testing/running-server.ts";

const authority = createTestAuthority();
const [boss, reader, stranger] = ["boss", "reader", "stranger"].map((name) => authority.issue(name));
const expired = createTestAuthority("old", new Date(Date.now() - 10 * 24 * 3_600_000)).issue("expired");

function publicKey(pair: TestCertificate | undefined): string {
  return new X509Certificate(pair?.cert ?? "").raw.toString("base64");
}

let running: RunningServer;
let admin: Record<string, unknown>;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("hi")));
  const file = async (name: string, content: string) => {
    const path = join(running.configFolder, name);
    await writeFile(path, content);
    return path;
  };
  const pair = async (name: string) => {
    const { cert, key } = authority.issue(name);
    return { certificate: await file(`${name}.crt`, cert), key: await file(`${name}.key`, key) };
  };
  admin = {
    identity: {
      identifiers: ["localhost"],
      certificates: [await pair("localhost"), await pair("admin.example")],
    },
    remote: {
      listen: "127.0.0.1:0",
      access_control: [
        { public_keys: [publicKey(boss), publicKey(expired)] },
        {
          public_keys: [publicKey(reader)],
          permissions: [
            { paths: ["/config/apps", "/id/"], methods: ["GET"] },
            { paths: ["/config/apps/http/servers/s/routes"], methods: ["POST"] },
          ],
        },
      ],
    },
  };
  expect(await running.admin("POST", "/config/admin", admin)).toMatchObject({ status: 200 });
});
afterAll(() => running.close());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly certificate: string;
}

function ask(
  client: TestCertificate | undefined,
  path: string,
  method = "GET",
  options: { body?: string; servername?: string } = {},
): Promise<Answer> {
  const address = running.server.remoteAdminAddress;
  const port = address?.network === "tcp" ? address.port : 0;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        ca: authority.cert,
        servername: options.servername ?? "localhost",
        agent: false,
        headers: { Host: "anything", "Content-Type": "application/json" },
        ...(client === undefined ? {} : { cert: client.cert, key: client.key }),
      },
      (response) => {
        const { socket } = response as unknown as { socket: import("node:tls").TLSSocket };
        const certificate = String(socket.getPeerCertificate().subject.CN);
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, text: body, certificate }),
          reject,
        );
      },
    );
    asked.on("error", reject);
    asked.end(options.body ?? "");
  });
}

test("a known client may do what its entry permits, and the history names it", async () => {
  expect(await ask(boss, "/config/apps/http/servers/s/routes/0/handle/0/body")).toMatchObject({
    status: 200,
    text: '"hi"\n',
  });
  const path = "/config/apps/http/servers/s/routes/0/handle/0/body";
  expect((await ask(boss, path, "PATCH", { body: '"from afar"' })).status).toBe(200);
  expect(JSON.parse((await running.admin("GET", "/history")).text)[0].author).toBe("127.0.0.1 (boss)");
});

describe("refuses", () => {
  test.each<[string, TestCertificate | undefined, string, string, number, string]>([
    ["no certificate", undefined, "GET", "/config/", 401, "client identity not authorized"],
    ["an unknown one", stranger, "GET", "/config/", 401, "client identity not authorized"],
    ["one that is over", expired, "GET", "/config/", 401, "client identity not authorized"],
    ["a path that is not permitted", reader, "GET", "/config/", 403, "not authorized to access this path"],
    [
      "a path that only begins alike",
      reader,
      "GET",
      "/config/appsx",
      403,
      "not authorized to access this path",
    ],
    ["a method that is not", reader, "DELETE", "/config/apps/http", 403, "not authorized to use this method"],
    ["an escape", reader, "GET", "/config/apps%2F..%2F", 307, ""],
    ["a stop", reader, "POST", "/stop", 403, "not authorized to access this path"],
  ])("%s", async (_, client, method, path, status, error) => {
    const answer = await ask(client, path, method);
    expect(answer.status).toBe(status);
    expect(status === 307 ? "" : (JSON.parse(answer.text) as { error: string }).error).toBe(error);
  });

  test("nothing that is permitted by one of several permissions", async () => {
    expect((await ask(reader, "/config/apps")).status).toBe(200);
    expect((await ask(reader, "/config/apps/http/servers/s/routes")).status).toBe(200);
    const added = JSON.stringify(respond("more"));
    expect((await ask(reader, "/config/apps/http/servers/s/routes", "POST", { body: added })).status).toBe(
      200,
    );
  });
});

test("shows the certificate for the name that is asked for", async () => {
  expect((await ask(boss, "/config/apps")).certificate).toBe("localhost");
  expect((await ask(boss, "/config/apps", "GET", { servername: "admin.example" })).certificate).toBe(
    "admin.example",
  );
});

test("permissions change without the endpoint moving, and it closes with its config", async () => {
  const before = running.server.remoteAdminAddress;
  const none = { ...(admin.remote as object), access_control: [] };
  await running.admin("PATCH", "/config/admin/remote", none);
  expect(running.server.remoteAdminAddress).toEqual(before);
  expect((await ask(boss, "/config/")).status).toBe(401);
  await running.admin("DELETE", "/config/admin/remote");
  expect(running.server.remoteAdminAddress).toBeUndefined();
});

describe("a config is refused", () => {
  test.each<[string, unknown, string]>([
    ["without an identity", { remote: {} }, "cannot enable remote admin without a certificate"],
    ["with a range of ports", { listen: ":1-2" }, "exactly one address is needed"],
    [
      "with what is no certificate",
      { access_control: [{ public_keys: ["eA=="] }] },
      "/access_control/0/public_keys/0",
    ],
    ["with files that are not there", undefined, "nope.crt"],
  ])("%s", async (_, remote, message) => {
    const section =
      remote === undefined
        ? { identity: { certificates: [{ certificate: "/nope.crt", key: "/nope.key" }] } }
        : Object.hasOwn(remote as object, "remote")
          ? remote
          : { identity: admin.identity, remote };
    const answer = await running.admin("POST", "/config/admin", section);
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
    expect((await running.admin("POST", "/validate", { admin: section })).status).toBe(400);
  });
});
