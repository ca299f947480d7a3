import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Registry } from "@prometheus-io/client";
import { ask } from "server-core/testing/ask";
import { deadAddress } from "server-core/testing/upstream-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { bytesBounds, Distribution, otherHosts, RouteTally } from "./route-tally.ts";

let running: RunningServer;
const upstream = createServer((socket) => {
  socket.once("data", () =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/plain\r\n\r\nhalf"),
  );
});
beforeAll(() => once(upstream.listen(0, "127.0.0.1"), "listening"));
afterAll(() => upstream.close());
afterEach(() => running?.close());

const answer = { handler: "static_response", status_code: 203, body: "hello" };

async function config(metrics: unknown) {
  const cutting = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const routes = [
    { match: [{ host: ["a.example"] }], handle: [{ handler: "vars", x: "1" }, answer] },
    {
      match: [{ path: ["/error"] }],
      handle: [{ handler: "headers" }, { handler: "error", status_code: 418 }],
    },
    {
      match: [{ path: ["/sub"] }],
      handle: [
        {
          handler: "subroute",
          // The method that the client sent counts.
          routes: [
            {
              handle: [
                { handler: "rewrite", method: "PUT" },
                { handler: "static_response", body: "x" },
              ],
            },
          ],
        },
      ],
    },
    {
      match: [{ path: ["/up"] }],
      handle: [{ handler: "reverse_proxy", upstreams: [{ dial: await deadAddress() }] }],
    },
    {
      match: [{ path: ["/cut"] }],
      handle: [{ handler: "reverse_proxy", upstreams: [{ dial: cutting }] }],
    },
    { match: [{ path: ["/abort"] }], handle: [{ handler: "static_response", abort: true }] },
  ];
  return { apps: { http: { metrics, servers: { s: { listen: ["127.0.0.1:0"], routes } } } } };
}

async function lines(pattern: RegExp): Promise<string[]> {
  const { text } = await running.admin("GET", "/metrics");
  return text.split("\n").filter((line) => pattern.test(line));
}

test.each([0, 2])("the public model's names and labels, with %d workers", async (workers) => {
  running = await RunningServer.start(await config({ per_host: true }), {}, workers);
  await ask(running.site, { headers: { Host: "A.example:81" } });
  await ask(running.site, { headers: { Host: "b.example" } });
  await ask(`${running.site}/sub`, { method: "POST" });
  await ask(`${running.site}/error`);
  await ask(`${running.site}/up`);
  // An answer that is cut, by the site or by an upstream, is neither a request nor a failure.
  await expect(ask(`${running.site}/cut`)).rejects.toThrow();
  await expect(ask(`${running.site}/abort`)).rejects.toThrow();
  expect(
    (await lines(/^caddy_http_(requests_total|request_errors_total|requests_in_flight)\{/)).sort(),
  ).toEqual([
    'caddy_http_request_errors_total{server="s",handler="headers",host="_other"} 1',
    'caddy_http_request_errors_total{server="s",handler="reverse_proxy",host="_other"} 1',
    'caddy_http_requests_in_flight{server="s",handler="headers",host="_other"} 0',
    'caddy_http_requests_in_flight{server="s",handler="reverse_proxy",host="_other"} 0',
    'caddy_http_requests_in_flight{server="s",handler="static_response",host="_other"} 0',
    'caddy_http_requests_in_flight{server="s",handler="subroute",host="_other"} 0',
    'caddy_http_requests_in_flight{server="s",handler="vars",host="a.example"} 0',
    'caddy_http_requests_total{server="s",handler="headers",host="_other"} 1',
    'caddy_http_requests_total{server="s",handler="reverse_proxy",host="_other"} 1',
    'caddy_http_requests_total{server="s",handler="subroute",host="_other"} 1',
    'caddy_http_requests_total{server="s",handler="vars",host="a.example"} 1',
  ]);
  const ofVars = 'server="s",handler="vars",host="a.example",code="203",method="GET"';
  expect(await lines(/^caddy_http_re\w+_(count|sum|bucket)\{.*vars/)).toEqual(
    expect.arrayContaining([
      `caddy_http_request_duration_seconds_count{${ofVars}} 1`,
      `caddy_http_response_duration_seconds_count{${ofVars}} 1`,
      `caddy_http_request_size_bytes_bucket{le="256",${ofVars}} 1`,
      `caddy_http_response_size_bytes_sum{${ofVars}} 5`,
      `caddy_http_response_size_bytes_bucket{le="+Inf",${ofVars}} 1`,
    ]),
  );
  expect(await lines(/^caddy_http_response_duration_seconds_count.*proxy.*200/)).toEqual([
    'caddy_http_response_duration_seconds_count{server="s",handler="reverse_proxy",host="_other",code="200",method="GET"} 1',
  ]);
  expect(await lines(/^caddy_http_request_duration_seconds_count/)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('handler="headers",host="_other",code="418",method="GET"} 1'),
      expect.stringContaining('handler="reverse_proxy",host="_other",code="502",method="GET"} 1'),
      expect.stringContaining('handler="subroute",host="_other",code="200",method="POST"} 1'),
    ]),
  );
});

test("hosts that no route names are told apart where that is asked for", async () => {
  running = await RunningServer.start(await config({ per_host: true, observe_catchall_hosts: true }));
  await ask(`${running.site}/sub`, { headers: { Host: "b.example" } });
  expect(await lines(/^caddy_http_requests_total/)).toEqual([
    'caddy_http_requests_total{server="s",handler="subroute",host="b.example"} 1',
  ]);
});

test("upstreams, the admin endpoint and reloads are told by the public model's names too", async () => {
  running = await RunningServer.start(await config(null));
  expect((await running.admin("GET", "/config/nothing/below")).status).toBe(400);
  await running.admin("GET", "/nowhere");
  const found = await lines(/^caddy_(?!http)/);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^caddy_reverse_proxy_upstreams_healthy\{upstream="127\.0\.0\.1:\d+"\} 1$/),
      'caddy_admin_http_requests_total{handler="admin",path="/config/",method="GET",code="400"} 1',
      'caddy_admin_http_request_errors_total{handler="admin",path="/config/",method="GET"} 1',
      'caddy_admin_http_requests_total{handler="admin",path="/",method="GET",code="404"} 1',
      "caddy_config_last_reload_successful 1",
    ]),
  );
});

test("a reload goes on counting; hosts are told apart only where that is asked for", async () => {
  running = await RunningServer.start(await config({}));
  await ask(running.site, { headers: { Host: "a.example" } });
  const again = await config({});
  again.apps.http.servers.s.routes.pop();
  await running.admin("POST", "/load", again);
  await ask(running.site, { headers: { Host: "a.example" } });
  expect(await lines(/^caddy_http_requests_total/)).toEqual([
    'caddy_http_requests_total{server="s",handler="vars"} 2',
  ]);
});

test("nothing is counted without it", async () => {
  running = await RunningServer.start(await config(null));
  await ask(running.site);
  expect(await lines(/^caddy_http_\w+\{/)).toEqual([]);
});

describe("RouteTally", () => {
  test("methods that are known have one label in large and small letters", () => {
    const counts = new RouteTally("s", false, new Registry()).counts("vars", "");
    for (const method of ["GET", "get", "Get", "PATCH", "patch", "FOO"]) {
      counts.answered(method, 200);
    }
    expect([...counts.series()].map(([{ method }]) => method)).toEqual(["GET", "OTHER", "PATCH"]);
  });

  test("clients cannot make as many hosts as they like", () => {
    const tally = new RouteTally("s", true, new Registry());
    for (let each = 0; each < 1_500; each++) {
      tally.counts("vars", `${each}.example`).requests++;
    }
    const all = [...tally.all()];
    expect(all).toHaveLength(1_001);
    expect(all.find(({ labels }) => labels.host === otherHosts)?.requests).toBe(500);
  });
});

test("a distribution's buckets are cumulative, their bounds inclusive", () => {
  const sizes = new Distribution(bytesBounds);
  expect(sizes.values("x", {})).toEqual([]);
  for (const bytes of [256, 257, 5_000_000]) {
    sizes.add(bytes);
  }
  const values = sizes.values("x", { a: "b" }).map(({ labels, value }) => [labels.le, value]);
  expect(values).toEqual([
    ["256", 1],
    ...["1024", "4096", "16384", "65536", "262144", "1048576", "4194304"].map((le) => [le, 2]),
    ["+Inf", 3],
    [undefined, 5_000_513],
    [undefined, 3],
  ]);
});
