import { once } from "node:events";
import { createServer } from "node:net";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { rawRequest } from "server-core/testing/raw-request";
import { deadAddress, UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
const upstreams: UpstreamServer[] = [];
beforeAll(async () => {
  running = await RunningServer.start();
});
afterEach(async () => {
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.kill()));
});
afterAll(() => running.close());

async function upstream(...args: Parameters<typeof UpstreamServer.start>): Promise<UpstreamServer> {
  const server = await UpstreamServer.start(...args);
  upstreams.push(server);
  return server;
}

async function load(proxy: Record<string, unknown>, ...others: unknown[]): Promise<void> {
  const config = siteConfig({ handle: [{ handler: "reverse_proxy", ...proxy }] }, ...others);
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
}

const to = (...servers: readonly (UpstreamServer | string)[]) => ({
  upstreams: servers.map((each) => ({ dial: typeof each === "string" ? each : each.address })),
});
const first = { selection_policy: { policy: "first" } };

describe("handle_response", () => {
  const answering = (status: number) =>
    upstream((_, response) => {
      response
        .writeHead(status, { "X-Up": "1", "X-Other": "2", "Content-Type": "text/plain" })
        .end("from upstream");
    });

  test("replaces only the status", async () => {
    await load({
      ...to(await answering(404)),
      handle_response: [{ match: { status_code: [4] }, status_code: "410" }],
    });
    expect(await ask(running.site)).toMatchObject({ status: 410, text: "from upstream" });
  });

  test("runs routes that know of the response, and leaves others alone", async () => {
    const handler = {
      handler: "static_response",
      status_code: 503,
      body: "was {http.reverse_proxy.status_code} {http.reverse_proxy.header.X-Up}",
    };
    const rule = { match: { status_code: [5] }, routes: [{ handle: [handler] }] };
    await load({ ...to(await answering(500)), handle_response: [rule] });
    expect(await ask(running.site)).toMatchObject({ status: 503, text: "was 500 1" });
    await load({ ...to(await answering(200)), handle_response: [rule] });
    expect(await ask(running.site)).toMatchObject({ status: 200, text: "from upstream" });
  });

  test("copy_response sends it after all, with another status", async () => {
    const routes = [{ handle: [{ handler: "copy_response", status_code: 299 }] }];
    await load({ ...to(await answering(200)), handle_response: [{ routes }] });
    const answer = await ask(running.site);
    expect(answer).toMatchObject({ status: 299, text: "from upstream" });
    expect(answer.headers).toMatchObject({ "x-up": "1", via: "1.1 server" });
  });

  test("copy_response carries a body that is longer than what was held", async () => {
    const long = "x".repeat(3_000_000);
    const server = await upstream((_, response) => response.end(long));
    await load({
      ...to(server),
      handle_response: [{ routes: [{ handle: [{ handler: "copy_response" }] }] }],
    });
    expect((await ask(running.site)).text).toBe(long);
  });

  test("copy_response_headers takes those that are wanted", async () => {
    const handle = [
      { handler: "copy_response_headers", include: ["X-Up"] },
      { handler: "static_response", body: "own" },
    ];
    await load({ ...to(await answering(200)), handle_response: [{ routes: [{ handle }] }] });
    const answer = await ask(running.site);
    expect(answer).toMatchObject({ text: "own", headers: { "x-up": "1" } });
    expect(answer.headers).not.toHaveProperty("x-other");
  });

  test("routes that do not answer leave it to what comes after the proxy, as forward_auth asks", async () => {
    const rule = {
      match: { status_code: [2] },
      routes: [{ handle: [{ handler: "headers", response: { set: { "X-Seen": ["1"] } } }] }],
    };
    const server = await answering(200);
    await load({ ...to(server), handle_response: [rule] }, respond("after"));
    expect(await ask(running.site)).toMatchObject({ text: "after", headers: { "x-seen": "1" } });
    const list = JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text);
    expect(list).toEqual([{ address: server.address, num_requests: 0, fails: 0 }]);
  });

  test("copy_response elsewhere is 500", async () => {
    const config = siteConfig({ handle: [{ handler: "copy_response" }] });
    await running.admin("POST", "/load", config);
    expect((await ask(running.site)).status).toBe(500);
  });
});

describe("retries", () => {
  test("a response that retry_match names is had from another upstream", async () => {
    let bad = 0;
    const failing = await upstream((_, response) => {
      bad++;
      response.writeHead(503).end("bad");
    });
    const good = await upstream((_, response) => response.end("good"));
    await load({
      ...to(good, failing),
      load_balancing: {
        selection_policy: { policy: "round_robin" },
        retries: 2,
        try_interval: "1ms",
        retry_match: [{ expression: "{http.reverse_proxy.status_code} == 503" }],
      },
    });
    expect(await ask(running.site)).toMatchObject({ status: 200, text: "good" });
    expect(bad).toBe(1);
  });

  test("a POST is sent again only when retry_match says so and its body was kept", async () => {
    const bodies: string[] = [];
    const server = await upstream((request) => {
      request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
      request.on("end", () => request.socket.destroy());
    });
    const balancing = { retries: 2, try_interval: "1ms", retry_match: [{ method: ["POST"] }] };
    await load({ ...to(server), load_balancing: balancing });
    expect((await ask(running.site, { method: "POST", body: "once" })).status).toBe(502);
    expect(bodies).toEqual(["once"]);
    await load({ ...to(server), load_balancing: balancing, request_buffers: 1000 });
    expect((await ask(running.site, { method: "POST", body: "kept" })).status).toBe(502);
    expect(bodies).toEqual(["once", "kept", "kept", "kept"]);
    expect((await ask(running.site, { method: "PUT", body: "put" })).status).toBe(502);
    expect(bodies.slice(4)).toEqual(["put"]);
  });

  test("a retry_match that fails matches nothing: the failure of the upstream is told", async () => {
    const server = await upstream((request) => request.socket.destroy());
    const retry_match = [{ file: { root: "/nonexistent", try_files: ["{http.request.uri.path}", "=404"] } }];
    await load({ ...to(server), load_balancing: { retries: 1, try_interval: "1ms", retry_match } });
    expect((await ask(running.site)).status).toBe(502);
  });

  test("a body that is longer than request_buffers arrives whole", async () => {
    const server = await upstream((request, response) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on("end", () => response.end(String(bytes)));
    });
    await load({ ...to(server), request_buffers: 100 });
    const body = "y".repeat(2_000_000);
    expect((await ask(running.site, { method: "POST", body })).text).toBe("2000000");
  });
});

describe("passive health", () => {
  test.each([
    ["a status", { unhealthy_status: [5] }],
    ["a latency", { unhealthy_latency: 1 }],
  ])("%s counts as failure", async (_, more) => {
    const server = await upstream((_request, response) => response.writeHead(500).end());
    await load({ ...to(server), health_checks: { passive: { fail_duration: "1m", max_fails: 2, ...more } } });
    const statuses = [await ask(running.site), await ask(running.site), await ask(running.site)];
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 503]);
    const [entry] = JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text);
    expect(entry).toEqual({ address: server.address, num_requests: 0, fails: 2 });
  });

  test("unhealthy_request_count limits what each upstream has under way", async () => {
    const held = new EventQueue<() => void>();
    const server = await upstream((_, response) => held.push(() => response.end("done")));
    await load({ ...to(server), health_checks: { passive: { unhealthy_request_count: 1 } } });
    const one = ask(running.site);
    const finish = await held.next();
    expect((await ask(running.site)).status).toBe(503);
    finish();
    expect((await one).text).toBe("done");
  });
});

describe("active health", () => {
  test("an upstream that does not pass gets nothing until it passes again", async () => {
    let healthy = false;
    const checks = new EventQueue<string>();
    const server = await upstream((request, response) => {
      if (request.url === "/health?q=1") {
        response.writeHead(healthy ? 204 : 500).end();
        response.once("close", () => checks.push(String(request.headers["x-check"])));
      } else {
        response.end("served");
      }
    });
    const active = { uri: "/health?q=1", interval: "20ms", headers: { "X-Check": ["yes ü"] } };
    await load({ ...to(server), health_checks: { active } });
    const detail = async () =>
      JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams?detail=true")).text);
    expect(await checks.next()).toBe("yes \xc3\xbc");
    await expect.poll(async () => (await ask(running.site)).status).toBe(503);
    expect(await detail()).toMatchObject([
      { address: server.address, healthy: false, active_checks: [{ healthy: false }] },
    ]);
    healthy = true;
    await expect.poll(async () => (await ask(running.site)).text).toBe("served");
    const [told] = await detail();
    expect(told).toMatchObject({ healthy: true, fails: 0, last_error: null });
    expect(told.latency_ms).toBeGreaterThan(0);
  });

  test("checks body and status as asked", async () => {
    const server = await upstream((request, response) => {
      response.writeHead(request.url === "/h" ? 299 : 200).end(request.url === "/h" ? "not good" : "served");
    });
    const active = { uri: "/h", interval: "10ms", expect_status: 299, expect_body: "^good" };
    await load({ ...to(server), health_checks: { active } });
    await expect.poll(async () => (await ask(running.site)).status).toBe(503);
    await load({ ...to(server), health_checks: { active: { ...active, expect_body: "good$" } } });
    await expect.poll(async () => (await ask(running.site)).text).toBe("served");
  });
});

describe("what upstreams are told", () => {
  async function echoHeaders(more: Record<string, unknown>, ...args: Parameters<typeof ask>) {
    const server = await upstream((request, response) => {
      response.end(JSON.stringify({ url: request.url, method: request.method, ...request.headers }));
    });
    await load({ ...to(server), ...more });
    return { server, told: JSON.parse((await ask(...args)).text) as Record<string, string> };
  }

  test("trusted proxies keep what they forwarded, and are added to it", async () => {
    const headers = {
      Host: "a.example",
      "X-Forwarded-For": "192.0.2.7",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "front.example",
    };
    const { told } = await echoHeaders({ trusted_proxies: ["private_ranges"] }, running.site, { headers });
    expect(told).toMatchObject({
      "x-forwarded-for": "192.0.2.7, 127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "front.example",
    });
  });

  test("a rewrite is for the upstream only, and may drop the body", async () => {
    const { told } = await echoHeaders(
      { rewrite: { method: "GET", uri: "/auth?x={http.request.uri.path}" } },
      `${running.site}/a/b?c=d`,
      { method: "POST", body: "body" },
    );
    expect(told).toMatchObject({ url: "/auth?x=%2Fa%2Fb", method: "GET" });
    expect(told).not.toHaveProperty("content-length");
  });

  test("placeholders know the upstream", async () => {
    const request = {
      set: {
        "X-Up": [
          "{http.reverse_proxy.upstream.hostport} {http.reverse_proxy.upstream.host} {http.reverse_proxy.upstream.port}",
        ],
      },
    };
    const { told, server } = await echoHeaders({ headers: { request } }, running.site);
    expect(told["x-up"]).toBe(`${server.address} 127.0.0.1 ${server.port}`);
  });

  test("an address may come from the request", async () => {
    const server = await upstream((_, response) => response.end("found"));
    await load({ upstreams: [{ dial: "127.0.0.1:{http.request.uri.query.port}" }] });
    expect((await ask(`${running.site}/?port=${server.port}`)).text).toBe("found");
    expect((await ask(`${running.site}/?port=x`)).status).toBe(502);
    expect((await ask(`${running.site}/`)).status).toBe(502);
  });
});

describe("dynamic upstreams", () => {
  test("are found by name, and are in the list of upstreams", async () => {
    const server = await upstream((_, response) => response.end("dynamic"));
    const source = { source: "a", name: "localhost", port: String(server.port), versions: { ipv4: true } };
    await load({ dynamic_upstreams: { source: "multi", sources: [source] } });
    expect((await ask(running.site)).text).toBe("dynamic");
    const list = JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text);
    expect(list).toEqual([{ address: server.address, num_requests: 0, fails: 0 }]);
  });

  test("that are not found leave the static ones", async () => {
    const server = await upstream((_, response) => response.end("static"));
    await load({ ...to(server), dynamic_upstreams: { source: "a", name: "name.invalid", port: "1" } });
    expect((await ask(running.site)).text).toBe("static");
  });
});

describe("an upstream that misbehaves", () => {
  async function raw(
    answer: (socket: import("node:net").Socket) => void,
  ): Promise<{ address: string; close(): void }> {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => answer(socket));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      address: `127.0.0.1:${(server.address() as { port: number }).port}`,
      close: () => server.close(),
    };
  }

  test("never answers: 504, and Proxy-Status says why", async () => {
    const server = await raw(() => {});
    const transport = { protocol: "http", response_header_timeout: "20ms" };
    await load({ ...to(server.address), transport, proxy_status_name: "edge" });
    const answer = await ask(running.site);
    expect(answer.status).toBe(504);
    expect(answer.headers["proxy-status"]).toBe("edge; error=http_response_timeout");
    server.close();
  });

  test.each<[string, (socket: import("node:net").Socket) => void]>([
    [
      "never ends its head",
      (socket) => {
        const flood = (): void => {
          if (!socket.destroyed) {
            socket.write(`X-${"y".repeat(1000)}: z\r\n`, flood);
          }
        };
        socket.write("HTTP/1.1 200 OK\r\n", flood);
      },
    ],
    [
      "floods with interim responses",
      (socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)),
    ],
    [
      "switches protocols unasked",
      (socket) => socket.write("HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    ],
    [
      "sends both lengths of a kind",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    ],
    ["sends no HTTP", (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n\0\0\u0001\r\n\r\n")],
    ["closes without a word", (socket) => socket.end()],
    ["closes within its head", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Len")],
    [
      "sends a coding nobody knows",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
    ],
  ])("%s: 502", async (_, answer) => {
    const server = await raw(answer);
    await load({ ...to(server.address), transport: { protocol: "http", max_response_header_size: 20_000 } });
    expect((await ask(running.site)).status).toBe(502);
    server.close();
  });

  test("sends more than its length: the next client sees none of it", async () => {
    let connections = 0;
    const server = await raw((socket) => {
      connections++;
      socket.write(
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
      );
    });
    await load(to(server.address));
    expect([(await ask(running.site)).text, (await ask(running.site)).text]).toEqual(["ok", "ok"]);
    expect(connections).toBe(2);
    server.close();
  });

  test("ends a body early: the client's does not look whole", async () => {
    const server = await raw((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    );
    await load(to(server.address));
    const answer = await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(answer).not.toContain("\r\n0\r\n\r\n");
    server.close();
  });

  test("ends a body before its length: the client's is cut short, and the next one's is whole", async () => {
    let answers = 0;
    const server = await raw((socket) => {
      answers++;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${answers === 1 ? 10 : 5}\r\n\r\nhello`);
    });
    await load(to(server.address));
    await expect(ask(running.site)).rejects.toThrow();
    expect((await ask(running.site)).text).toBe("hello");
    server.close();
  });

  test("is passed over by policy first", async () => {
    const server = await upstream((_, response) => response.end("second"));
    await load({ ...to(await deadAddress(), server), load_balancing: first });
    expect((await ask(running.site)).text).toBe("second");
  });
});

test("interim responses reach the client before the final one", async () => {
  const server = await upstream((_, response) => {
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
    response.end("final");
  });
  await load(to(server));
  const answer = await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 103 .*preload.*HTTP\/1\.1 200 OK.*final/is);
});

test("a 100 that nobody asked for goes on, as any interim response", async () => {
  const server = await upstream((_, response) => {
    response.writeContinue();
    response.end("final");
  });
  await load(to(server));
  const answer = await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test("response_buffers hold a response back until it is whole", async () => {
  const server = await upstream((_, response) => {
    response.write("a");
    response.write("b");
    response.end("c");
  });
  await load({ ...to(server), response_buffers: -1 });
  expect((await ask(running.site)).text).toBe("abc");
});
