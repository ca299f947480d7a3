// Routes of raw connections on the ports of HTTP servers. Configs are those of caddy-l4's examples.

import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import type { JsonValue } from "server-core/json/json-value";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { addressOf, exchange, namedUpstream, portOf } from "./testing/layer4-server.ts";
import { adaptText, textOfConfig } from "./testing/texts.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const tlsApp = {
  automation: { policies: [{ issuers: [{ module: "internal" }] }] },
  certificates: { automate: ["localhost", "inner.localhost"] },
};
const to = (dial: string) => ({ handler: "proxy", upstreams: [{ dial: [dial] }] });
const hello = {
  handle: [{ handler: "static_response", body: "{http.request.host} {http.request.remote.host}" }],
};

async function answerTo(wrappers: unknown[], more: object = {}) {
  const server = { listen: ["127.0.0.1:0"], listener_wrappers: wrappers, routes: [hello], ...more };
  return running.admin("POST", "/load", { apps: { http: { servers: { s: server } }, tls: tlsApp } });
}

async function load(wrappers: unknown[], more: object = {}): Promise<number> {
  const answer = await answerTo(wrappers, more);
  expect([answer.status, answer.error]).toEqual([200, ""]);
  return portOf(running);
}

async function upstream(name: string): Promise<string> {
  const server = await namedUpstream(name);
  onTestFinished(() => void server.close());
  return addressOf(server);
}

const request = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

async function secureGet(port: number, servername: string): Promise<string> {
  const socket = connectTls({ port, host: "127.0.0.1", servername, rejectUnauthorized: false });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  const answer = text(socket);
  socket.write(request(servername));
  return answer;
}

test("before tls: SSH and one name go their way, the HTTP server gets the rest", async () => {
  const ssh = await upstream("ssh");
  const port = await load(
    [
      {
        wrapper: "layer4",
        routes: [
          { match: [{ ssh: {} }], handle: [to(ssh)] },
          { match: [{ tls: { sni: ["inner.localhost"] } }], handle: [{ handler: "tls" }, to(ssh)] },
        ],
      },
      { wrapper: "tls" },
    ],
    { tls_connection_policies: [{}] },
  );
  expect(await exchange(port, "SSH-2.0-x")).toBe("ssh:SSH-2.0-x");
  expect(await secureGet(port, "localhost")).toMatch(/^HTTP\/1.1 200[\s\S]*localhost 127\.0\.0\.1$/);
  const socket = connectTls({
    ...{ port, host: "127.0.0.1", servername: "inner.localhost", rejectUnauthorized: false },
  });
  await once(socket, "secureConnect");
  const answer = text(socket);
  socket.end("inside");
  expect(await answer).toBe("ssh:inside");
});

test("without the mark tls, and behind it, what is inside TLS is looked at", async () => {
  const web = await upstream("web");
  const layer4 = {
    wrapper: "layer4",
    routes: [{ match: [{ http: [{ path: ["/raw"] }] }], handle: [to(web)] }],
  };
  for (const wrappers of [[layer4], [{ wrapper: "tls" }, layer4]]) {
    const port = await load(wrappers, { tls_connection_policies: [{}] });
    expect(await secureGet(port, "localhost")).toMatch(/localhost 127\.0\.0\.1$/);
    const socket = connectTls({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      rejectUnauthorized: false,
    });
    await once(socket, "secureConnect");
    const answer = text(socket);
    socket.end("GET /raw HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await answer).toMatch(/^web:GET \/raw/);
  }
});

test("on a port without TLS: requests in pieces, and the client that a PROXY header named", async () => {
  const layer4 = {
    wrapper: "layer4",
    routes: [
      { match: [{ proxy_protocol: {} }], handle: [{ handler: "proxy_protocol", fallback_policy: "use" }] },
      { match: [{ ssh: {} }], handle: [{ handler: "echo" }] },
    ],
  };
  const port = await load([layer4]);
  const socket = connect(port, "127.0.0.1");
  const answer = text(socket);
  for (const piece of [
    "PROXY TCP4 192.0.2.7 192.0.2.8 4321 80\r\n",
    "GE",
    "T / HTTP/1.1\r\nHost: a\r",
    "\nConnection: close\r\n\r\n",
  ]) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  expect(await answer).toMatch(/a 192\.0\.2\.7$/);
  expect(await exchange(port, "SSH-2.0", true)).toBe("SSH-2.0");
});

test("TLS that a route ended goes on to a server without TLS", async () => {
  const layer4 = {
    wrapper: "layer4",
    routes: [
      {
        match: [{ tls: {} }],
        handle: [{ handler: "tls", connection_policies: [{ alpn: ["http/1.1"] }] }],
      },
    ],
  };
  const port = await load([layer4]);
  expect(await secureGet(port, "localhost")).toMatch(/^HTTP\/1.1 200[\s\S]*localhost 127\.0\.0\.1$/);
  expect(await exchange(port, request("plain"))).toMatch(/plain 127\.0\.0\.1$/);
});

test("connections that are open outlive a change of the config; new ones get the new routes", async () => {
  const routes = (name: string) => [
    {
      wrapper: "layer4",
      routes: [{ match: [{ ssh: {} }], handle: [{ handler: "vars", a: name }, { handler: "echo" }] }],
    },
  ];
  const port = await load(routes("one"));
  const socket = connect(port, "127.0.0.1");
  socket.write("SSH-1");
  expect(String((await once(socket, "data"))[0])).toBe("SSH-1");
  const answer = await running.admin("PATCH", "/config/apps/http/servers/s/listener_wrappers", []);
  expect(answer.status).toBe(200);
  socket.write("still");
  expect(String((await once(socket, "data"))[0])).toBe("still");
  socket.destroy();
  expect(await exchange(portOf(running), request("b"))).toMatch(/b 127\.0\.0\.1$/);
});

test("a stream that is no socket any more is closed, not served", async () => {
  const port = await load([
    { wrapper: "layer4", routes: [{ handle: [{ handler: "throttle", read_bytes_per_second: 1000 }] }] },
  ]);
  expect(await exchange(port, request("a"))).toBe("");
});

test.each<[string, unknown[], string]>([
  [
    "an unknown handler",
    [{ wrapper: "layer4", routes: [{ handle: [{ handler: "odd" }] }] }],
    "layer4.handlers.odd",
  ],
  ["an unknown option", [{ wrapper: "layer4", odd: 1 }], "odd"],
  [
    "proxy_protocol behind it",
    [{ wrapper: "layer4" }, { wrapper: "proxy_protocol" }, { wrapper: "tls" }],
    "proxy_protocol stands before layer4",
  ],
])("%s is refused", async (_name, wrappers, message) => {
  const answer = await answerTo(wrappers);
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
});

test("the text becomes the wrapper and comes back", async () => {
  const config = adaptText(
    "{\n\tservers :443 {\n\t\tlistener_wrappers {\n\t\t\tlayer4 {\n\t\t\t\t@a not remote_ip 192.168.0.0/16\n\t\t\t\troute @a {\n\t\t\t\t\tproxy localhost:4431\n\t\t\t\t}\n\t\t\t}\n\t\t\ttls\n\t\t}\n\t}\n}\n:443 {\n\trespond OK 200\n}\n",
  ) as { apps: { http: { servers: { srv0: { listener_wrappers: JsonValue } } } } };
  expect(config.apps.http.servers.srv0.listener_wrappers).toEqual([
    {
      wrapper: "layer4",
      routes: [
        {
          match: [{ not: [{ remote_ip: { ranges: ["192.168.0.0/16"] } }] }],
          handle: [{ handler: "proxy", upstreams: [{ dial: ["localhost:4431"] }] }],
        },
      ],
    },
    { wrapper: "tls" },
  ]);
  expect(adaptText(await textOfConfig(config))).toEqual(config);
});
