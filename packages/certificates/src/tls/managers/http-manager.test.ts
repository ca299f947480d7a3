import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { askTls } from "server-core/testing/ask-tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, respond } from "../../../../admin-server/src/testing/running-server.ts";
import { keyToPem, makeKey } from "../../material/key-pair.ts";
import { selfSigned } from "../../testing/self-signed.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function service(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/certs?zone=a`;
}

/** @returns the reason for the refusal; "" when the config loads */
async function load(tls: object, policy: object = {}): Promise<string> {
  const s = {
    listen: ["127.0.0.1:0"],
    tls_connection_policies: [policy],
    automatic_https: { disable_redirects: true },
    routes: [respond("secure")],
  };
  return (await running.admin("POST", "/load", { apps: { tls, http: { servers: { s } } } })).error;
}

const ask = (servername: string) =>
  askTls(running.site.replace("http:", "https:"), { servername, rejectUnauthorized: false });

test("others are asked for the names that clients ask for, in order, and once for many clients", async () => {
  const { cert, key } = await selfSigned("a.example");
  const asked: string[] = [];
  const empty = await service((request, response) => {
    asked.push(`empty ${request.url}`);
    response.writeHead(204).end();
  });
  const full = await service((request, response) => {
    asked.push(`full ${request.url}`);
    response.end(key + cert);
  });
  const get_certificate = [empty, full].map((url) => ({ via: "http", url }));
  expect(await load({ automation: { policies: [{ get_certificate }] } })).toBe("");
  for (let client = 0; client < 2; client++) {
    const { text, certificate } = await ask("a.example");
    expect([text, certificate]).toEqual(["secure", "DNS:a.example"]);
  }
  expect(asked).toEqual(["empty", "full"].map((each) => `${each} /certs?zone=a&server_name=a.example`));
});

test.each([
  ["fails", 500, () => ""],
  ["has a certificate without its key", 200, (cert: string) => cert],
  ["has another key", 200, (cert: string, other: string) => cert + other],
  ["sends without end", 200, () => "x".repeat(2_000_000)],
])("one that %s is passed over, and nobody issues without permission", async (_, status, body) => {
  const { cert } = await selfSigned("a.example");
  const other = keyToPem(await makeKey("p256"));
  const url = await service((_request, response) => {
    response.writeHead(status).end(body(cert, other));
  });
  // The authority gets no request; the internal authority would need no permission.
  const issuers = [{ module: "acme", ca: "https://127.0.0.1:9/directory" }];
  const policies = [{ get_certificate: [{ via: "http", url }], issuers }];
  expect(await load({ automation: { policies } })).toBe("");
  await expect(ask("a.example")).rejects.toThrow("alert internal error");
});

test("authorities that a web service tells vouch for clients", async () => {
  const client = await selfSigned("client");
  const url = await service((request, response) => {
    response.writeHead(request.url?.includes("gone") ? 404 : 200).end(client.cert);
  });
  const tls = {
    automation: { policies: [{ issuers: [{ module: "internal" }] }] },
    certificates: { automate: ["localhost"] },
  };
  const auth = (endpoint: string) => ({
    client_authentication: { ca: { provider: "http", endpoints: [endpoint] } },
  });
  expect(await load(tls, auth(url))).toBe("");
  const site = running.site.replace("http:", "https:");
  const shown = { servername: "localhost", rejectUnauthorized: false, cert: client.cert, key: client.key };
  expect((await askTls(site, shown)).text).toBe("secure");
  await expect(ask("localhost")).rejects.toThrow();
  expect(await load(tls, auth(`${url}&gone`))).toMatch(/http:\/\/127\.0\.0\.1:\d+\/certs: status 404/);
});
