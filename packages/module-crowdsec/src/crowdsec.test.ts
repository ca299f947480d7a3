import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../admin-server/src/testing/serverfile.ts";
import { banOf, LocalApi } from "./testing/local-api.ts";

let api: LocalApi;
const running: RunningServer[] = [];
beforeEach(async () => {
  api = await LocalApi.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  await api.close();
});

const app = (more: object = {}) => ({ api_url: api.url, api_key: "key", ticker_interval: "1s", ...more });

function site(crowdsec: object | undefined): object {
  return {
    apps: {
      ...(crowdsec !== undefined && { crowdsec }),
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            trusted_proxies: { source: "static", ranges: ["127.0.0.0/8"] },
            routes: [{ handle: [{ handler: "crowdsec" }, { handler: "static_response", body: "in" }] }],
          },
        },
      },
    },
  };
}

async function start(config: unknown, workers = 0): Promise<RunningServer> {
  const server = await RunningServer.start(config, {}, workers);
  running.push(server);
  return server;
}

const from = async (server: RunningServer, client: string) => {
  const answer = await ask(server.site, { headers: { "x-forwarded-for": client } });
  return { status: answer.status, text: answer.text, headers: answer.headers };
};
const statusOf = async (server: RunningServer, client: string) => (await from(server, client)).status;

describe.each([
  ["one thread", 0],
  ["two worker threads", 2],
])("stream, %s", (_, workers) => {
  test("decisions at the start, changes later, and a reload keeps them", async () => {
    api.all = [banOf("192.0.2.1"), banOf("198.51.100.0/24"), banOf("2001:db8::/32")];
    const server = await start(site(app()), workers);
    const blocked = await from(server, "192.0.2.1");
    expect(blocked).toMatchObject({ status: 403, text: "" });
    expect(blocked.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(await statusOf(server, "198.51.100.200")).toBe(403);
    expect(await statusOf(server, "2001:db8::7")).toBe(403);
    expect(await from(server, "192.0.2.2")).toMatchObject({ status: 200, text: "in" });
    expect(api.headers["x-api-key"]).toBe("key");
    expect(api.headers["user-agent"]).toMatch(/^server-cs-bouncer\/v\d/);

    api.changes = { new: [banOf("192.0.2.2")], deleted: [banOf("192.0.2.1")] };
    await expect.poll(() => statusOf(server, "192.0.2.2")).toBe(403);
    await expect.poll(() => statusOf(server, "192.0.2.1")).toBe(200);

    const starts = () => api.asked.filter((line) => line.endsWith("startup=true")).length;
    const changed = site(app()) as { apps: { http: { servers: { s: { routes: object[] } } } } };
    changed.apps.http.servers.s.routes.unshift({ match: [{ path: ["/new"] }] });
    expect((await server.admin("POST", "/load", changed)).status).toBe(200);
    expect(await statusOf(server, "192.0.2.2")).toBe(403);
    expect(starts()).toBe(1);
    // Other settings are another bouncer, whose decisions alone count.
    api.all = [banOf("203.0.113.9")];
    expect((await server.admin("POST", "/load", site(app({ max_decisions: 10 })))).status).toBe(200);
    expect([await statusOf(server, "203.0.113.9"), await statusOf(server, "192.0.2.2")]).toEqual([403, 200]);
    expect(starts()).toBe(2);
  });
});

test("each remedy has its answer", async () => {
  api.all = [
    banOf("192.0.2.1", { type: "captcha" }),
    banOf("192.0.2.2", { type: "throttle", duration: "10m" }),
    banOf("192.0.2.3", { type: "teapot" }),
  ];
  const server = await start(site(app()));
  expect(await statusOf(server, "192.0.2.1")).toBe(403);
  expect(await statusOf(server, "192.0.2.3")).toBe(403);
  const { status, headers } = await from(server, "192.0.2.2");
  expect(status).toBe(429);
  expect(Number(headers["retry-after"])).toBeGreaterThan(500);
  expect(Number(headers["retry-after"])).toBeLessThanOrEqual(600);
});

test("a pull that is cut changes nothing, and the next one asks for everything", async () => {
  api.all = [banOf("192.0.2.1")];
  const server = await start(site(app()));
  api.all = [banOf("192.0.2.1"), banOf("192.0.2.2")];
  api.isCut = true;
  await expect
    .poll(() => api.asked.filter((line) => line.endsWith("startup=false")).length)
    .toBeGreaterThan(0);
  expect([await statusOf(server, "192.0.2.1"), await statusOf(server, "192.0.2.2")]).toEqual([403, 200]);
  await expect
    .poll(() => api.asked.filter((line) => line.endsWith("startup=true")).length)
    .toBeGreaterThan(1);
  expect(await statusOf(server, "192.0.2.2")).toBe(200);
  api.isCut = false;
  await expect.poll(() => statusOf(server, "192.0.2.2")).toBe(403);
});

test("a change that the local API left out comes with the next pull of everything", async () => {
  api.all = [banOf("192.0.2.1"), banOf("192.0.2.2")];
  const server = await start(site(app({ full_pull_interval: "1ms" })));
  expect(await statusOf(server, "192.0.2.1")).toBe(403);
  api.all = [banOf("192.0.2.2"), banOf("192.0.2.3")];
  await expect.poll(() => statusOf(server, "192.0.2.3")).toBe(403);
  expect([await statusOf(server, "192.0.2.1"), await statusOf(server, "192.0.2.2")]).toEqual([200, 403]);
});

describe("a local API that is away", () => {
  test("lets requests pass, and is asked again until it comes", async () => {
    api.all = [banOf("192.0.2.1")];
    await api.close();
    const server = await start(site(app()));
    expect(await statusOf(server, "192.0.2.1")).toBe(200);
    await api.open();
    await expect.poll(() => statusOf(server, "192.0.2.1")).toBe(403);
    await api.close();
    expect(await statusOf(server, "192.0.2.1")).toBe(403);
    await api.open();
  });

  test.each([{}, { enable_streaming: false }])(
    "refuses the config with enable_hard_fails and %j",
    async (more) => {
      api.status = 403;
      const server = await start(null);
      const { status, error } = await server.admin(
        "POST",
        "/load",
        site(app({ enable_hard_fails: true, ...more })),
      );
      expect(status).toBe(400);
      expect(error).toContain("crowdsec app module: start: the local API answered 403: access forbidden");
      expect((await server.admin("GET", "/config/")).text.trim()).toBe("null");
    },
  );
});

describe("live look-ups", () => {
  test("each request asks, and requests of one client share a look-up", async () => {
    api.all = [banOf("192.0.2.1"), banOf("192.0.2.1", { type: "throttle" })];
    const server = await start(site(app({ enable_streaming: false })), 1);
    expect([await statusOf(server, "192.0.2.1"), await statusOf(server, "192.0.2.2")]).toEqual([403, 200]);
    api.all = [];
    expect(await statusOf(server, "192.0.2.1")).toBe(200);
    expect(api.asked.filter((line) => line === "GET /v1/decisions?ip=192.0.2.1")).toHaveLength(2);
    expect(api.asked.some((line) => line.includes("stream"))).toBe(false);
  });

  test.each([
    [false, 200],
    [true, 500],
  ])("enable_hard_fails %s gives %d when the local API goes away", async (enable_hard_fails, status) => {
    const server = await start(site(app({ enable_streaming: false, enable_hard_fails })));
    expect(await statusOf(server, "192.0.2.1")).toBe(200);
    api.status = 500;
    expect(await statusOf(server, "192.0.2.1")).toBe(status);
  });
});

test("metrics and reports of usage", async () => {
  api.all = [
    banOf("192.0.2.1"),
    banOf("2001:db8::1", { origin: "CAPI" }),
    banOf("192.0.2.7"),
    banOf("192.0.2.8"),
  ];
  const config = app({ enable_caddy_metrics: true, metrics_interval: "1s", max_decisions: 3 });
  const server = await start(site(config), 1);
  await statusOf(server, "192.0.2.1");
  await statusOf(server, "192.0.2.2");
  await expect.poll(() => api.usage.length).toBeGreaterThan(0);
  const shown = (await server.admin("GET", "/metrics")).text
    .split("\n")
    .filter((line) => /^crowdsec_/.test(line));
  expect(shown.sort()).toEqual([
    expect.stringMatching(/^crowdsec_bouncer_lapi_requests_total\{mode="stream"\} \d+$/),
    'crowdsec_decisions_active{origin="CAPI",ip_type="ipv6"} 1',
    'crowdsec_decisions_active{origin="cscli",ip_type="ipv4"} 2',
    "crowdsec_decisions_refused 1",
    'crowdsec_requests_blocked{server="s",origin="cscli",remediation="ban",ip_type="ipv4"} 1',
    'crowdsec_requests_processed{server="s",ip_type="ipv4"} 2',
  ]);
  const [first] = api.usage as { remediation_components: { metrics: { items: object[] }[] }[] }[];
  expect(first?.remediation_components[0]?.metrics[0]?.items).toEqual(
    expect.arrayContaining([
      {
        name: "active_decisions",
        unit: "ip",
        value: 2,
        labels: { origin: "cscli", ip_type: "ipv4" },
      },
      {
        name: "dropped",
        unit: "request",
        value: 1,
        labels: { server: "s", origin: "cscli", remediation: "ban", ip_type: "ipv4" },
      },
    ]),
  );
});

describe("connections of layer4", () => {
  async function greeting(server: RunningServer): Promise<string> {
    const [, host = "", port = ""] = /^http:\/\/(.*):(\d+)$/.exec(server.site) ?? [];
    const socket = connect(Number(port), host);
    socket.end("hello");
    return text(socket).catch(() => ""); // a connection that is closed with unread bytes is reset
  }

  test.each([true, false])("a blocked client has no route, with streaming %s", async (enable_streaming) => {
    const config = {
      apps: {
        crowdsec: app({ enable_streaming }),
        layer4: {
          servers: {
            l: {
              listen: ["127.0.0.1:0"],
              routes: [
                { match: [{ not: [{ crowdsec: {} }] }], handle: [{ handler: "close" }] },
                { match: [{ crowdsec: {} }], handle: [{ handler: "echo" }] },
              ],
            },
          },
        },
      },
    };
    const server = await start(config);
    expect(await greeting(server)).toBe("hello");
    api.all = [banOf("127.0.0.1")];
    api.changes = { new: api.all };
    await expect.poll(() => greeting(server)).toBe("");
  });
});

describe.each([
  ["one thread", 0],
  ["two worker threads", 2],
])("without the app, %s", (_, workers) => {
  const onlyHandler = (handler: string) => ({
    apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], routes: [{ handle: [{ handler }] }] } } } },
  });
  const onlyMatcher = {
    apps: {
      layer4: { servers: { l: { listen: ["127.0.0.1:0"], routes: [{ match: [{ crowdsec: {} }] }] } } },
    },
  };

  test.each([
    ["http.handlers.crowdsec", onlyHandler("crowdsec"), "/config/apps/http/servers/s/routes/0/handle/0"],
    ["http.handlers.appsec", onlyHandler("appsec"), "/config/apps/http/servers/s/routes/0/handle/0"],
    ["layer4.matchers.crowdsec", onlyMatcher, "/config/apps/layer4/servers/l/routes/0/match/0/crowdsec"],
  ])("a config with %s is refused", async (id, config, path) => {
    const server = await start(site(app()), workers);
    const refused = await server.admin("POST", "/load", config);
    expect(refused.status).toBe(400);
    expect(refused.error).toContain(
      `${id} needs the app crowdsec, which the config does not have, at ${path}`,
    );
    expect(await statusOf(server, "192.0.2.1")).toBe(200);
  });

  test("the app cannot be deleted while a route needs it", async () => {
    const server = await start(site(app()), workers);
    const refused = await server.admin("DELETE", "/config/apps/crowdsec");
    expect(refused.status).toBe(400);
    expect(refused.error).toContain("needs the app crowdsec");
    expect(await statusOf(server, "192.0.2.1")).toBe(200);
  });
});

test.each([
  [{ api_url: "http://127.0.0.1:1" }, "API key must not be empty"],
  [{ api_key: "a b" }, "API key must not be empty, nor have spaces"],
  [{ api_key: "k", api_url: "ftp://x/" }, "is no URL of http or https"],
  [{ api_key: "k", ticker_interval: "30x" }, "ticker_interval"],
  [{ api_key: "k", ticker_interval: "10ms" }, "at least 1s"],
  [{ api_key: "k", metrics_interval: "soon" }, "invalid duration"],
  [{ api_key: "k", appsec_url: "localhost:7422" }, "appsec_url"],
  [{ api_key: "k", more: 1 }, "more"],
])("%j is refused", async (crowdsec, message) => {
  const server = await start(null);
  const { error, text: answer } = await server.admin("POST", "/validate", site(crowdsec));
  expect(answer).toContain('"valid":false');
  expect(error).toContain(message);
});

describe("text", () => {
  const adapted = (option: string) =>
    (adaptServerfile(Buffer.from(`{\n${option}\n}\n`), {}).result as { apps: { crowdsec: object } }).apps
      .crowdsec;
  const usual = { ticker_interval: "60s", enable_streaming: true, enable_hard_fails: false };

  // Source: hslatman/caddy-crowdsec-bouncer, crowdsec/caddyfile_test.go
  test.each([
    [
      "crowdsec {\napi_url http://127.0.0.1:8080\napi_key some_random_key\n}",
      { api_url: "http://127.0.0.1:8080/", api_key: "some_random_key", ...usual },
    ],
    [
      "crowdsec {\napi_url http://127.0.0.1:8080\napi_key k\nticker_interval 33s\ndisable_streaming\nenable_hard_fails\n}",
      {
        ...{ api_url: "http://127.0.0.1:8080/", api_key: "k", ticker_interval: "33s" },
        ...{ enable_streaming: false, enable_hard_fails: true },
      },
    ],
    [
      "crowdsec {\napi_key {$CROWDSEC_TEST_KEY}\nticker_interval {$CROWDSEC_TEST_INTERVAL}\n}",
      { ...usual, api_key: "env-test-key", ticker_interval: "1m30s" },
    ],
    [
      "crowdsec {\napi_key k\nmetrics_interval 15m\nenable_caddy_metrics\n}",
      { ...usual, api_key: "k", metrics_interval: 900e9, enable_caddy_metrics: true },
    ],
  ])("%s", (option, expected) => {
    vi.stubEnv("CROWDSEC_TEST_KEY", "env-test-key");
    vi.stubEnv("CROWDSEC_TEST_INTERVAL", "90s");
    expect(adapted(option)).toEqual(expected);
  });

  test.each([
    ["api_url http://127.0.0.1:8080\napi_key k\nticker_interval 30x", "invalid duration"],
    ["api_url", "wrong argument count"],
    ["api_url example.com\napi_key k", "does not have a scheme"],
    ["api_key", "wrong argument count"],
    ["api_key k\nticker_interval", "wrong argument count"],
    ["api_key k\ndisable_streaming absolutely", "wrong argument count"],
    ["api_key k\nenable_hard_fails yo", "wrong argument count"],
    ["api_key k\nunknown_token 42", 'invalid configuration token "unknown_token" provided'],
  ])("refuses %j", (lines, message) => {
    expect(() => adapted(`crowdsec {\n${lines}\n}`)).toThrow(message);
  });

  test.each([
    "{\n\tcrowdsec {\n\t\tapi_url http://localhost:8080/\n\t\tapi_key {env.KEY}\n\t\tticker_interval 15s\n\t\tdisable_streaming\n\t\tenable_hard_fails\n\t}\n}\n\n:80 {\n\tcrowdsec\n\trespond in\n}\n",
    "{\n\tcrowdsec {\n\t\tapi_key k\n\t\tmetrics_interval 15m\n\t\tfull_pull_interval 2h\n\t\tmax_decisions 5\n\t}\n\tlayer4 {\n\t\t:4444 {\n\t\t\t@ok crowdsec\n\t\t\troute @ok {\n\t\t\t\techo\n\t\t\t}\n\t\t}\n\t}\n}\n",
    "{\n\torder crowdsec first\n\tcrowdsec {\n\t\tapi_key k\n\t}\n}\n\n:80 {\n\troute {\n\t\tcrowdsec\n\t\trespond in\n\t}\n}\n",
  ])("%j there and back", async (serverfile) => {
    const { result } = adaptServerfile(Buffer.from(serverfile), {});
    const back = await toServerfile(result);
    expect(adaptServerfile(Buffer.from(back), {}).result).toEqual(result);
  });

  test("the directive comes before all others", () => {
    const { result } = adaptServerfile(Buffer.from(":80 {\n\tvars a b\n\trespond in\n\tcrowdsec\n}\n"), {});
    expect(JSON.stringify(result)).toMatch(/"handle":\[\{"handler":"crowdsec"\}/);
  });
});
