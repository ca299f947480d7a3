import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { deadAddress, UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("0")), {}, 2);
});
afterAll(() => running.close());

const load = (config: unknown) => running.admin("POST", "/load", config);
const proxyTo = (address: string, more: object = {}) => ({
  handle: [{ handler: "reverse_proxy", upstreams: [{ dial: address }], ...more }],
});

/** Sends one request over each of some new connections, which the system spreads over the workers. */
async function askMany(times: number): Promise<Set<string>> {
  const answers = await Promise.all(Array.from({ length: times }, () => ask(running.site)));
  return new Set(answers.map((answer) => answer.text));
}

describe("workers", () => {
  test("all serve the config that was acknowledged", async () => {
    for (let version = 1; version <= 5; version++) {
      expect((await load(siteConfig(respond(String(version))))).status).toBe(200);
      expect(await askMany(20)).toEqual(new Set([String(version)]));
    }
    expect(running.sites).toHaveLength(1);
  });

  test("refuse together what one refuses, and go on with the old config", async () => {
    await load(siteConfig(respond("old")));
    const { site } = running;
    const answer = await load(siteConfig({ handle: [{ handler: "nope" }] }));
    expect([answer.status, answer.error]).toEqual([
      400,
      expect.stringContaining("loading http app module: provision http: server s: setting up route handlers"),
    ]);
    expect(await askMany(20)).toEqual(new Set(["old"]));
    expect(running.sites).toEqual([site]);
  });

  test("do not share a port with another process", async () => {
    await load(siteConfig(respond("old")));
    const taken = createServer().listen({ port: 0, host: "127.0.0.1", reusePort: true });
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const config = siteConfig(respond("new")) as { apps: { http: { servers: { s: { listen: string[] } } } } };
    config.apps.http.servers.s.listen = ["127.0.0.1:0", `127.0.0.1:${port}`];
    const answer = await load(config);
    expect([answer.status, answer.error]).toEqual([
      400,
      `loading config: loading new config: http app module: start: listening on 127.0.0.1:${port}: listen tcp 127.0.0.1:${port}: bind: address already in use`,
    ]);
    expect(await askMany(10)).toEqual(new Set(["old"]));
    taken.close();
  });

  test("move from all addresses to one on the same port in one change", async () => {
    await load(siteConfig(respond("all")));
    const port = Number(new URL(running.site).port);
    expect((await running.admin("PATCH", "/config/apps/http/servers/s/listen", [`:${port}`])).error).toBe("");
    expect(
      (await running.admin("PATCH", "/config/apps/http/servers/s/listen", [`127.0.0.1:${port}`])).error,
    ).toBe("");
    expect(await askMany(10)).toEqual(new Set(["all"]));
  });

  test("count requests and failures together", async () => {
    const arrived = new EventQueue<() => void>();
    const upstream = await UpstreamServer.start((_, response) => arrived.push(() => response.end("done")));
    await load(siteConfig(proxyTo(upstream.address)));
    const answers = Array.from({ length: 12 }, () => ask(running.site));
    const releases: (() => void)[] = [];
    for (const _ of answers) {
      releases.push(await arrived.next());
    }
    expect((await running.admin("GET", "/reverse_proxy/upstreams")).text).toBe(
      `[{"address":"${upstream.address}","num_requests":12,"fails":0}]\n`,
    );
    for (const release of releases) {
      release();
    }
    await Promise.all(answers);
    const dead = await deadAddress();
    await load(
      siteConfig(proxyTo(dead, { health_checks: { passive: { fail_duration: "10m", max_fails: 100 } } })),
    );
    await askMany(10);
    const [entry] = JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text);
    expect(entry).toEqual({ address: dead, num_requests: 0, fails: 10 });
    await upstream.kill();
  });

  test("serve a unix socket, one of them for all", async () => {
    const path = `${running.configFolder}/site.sock`;
    const config = siteConfig(respond("unix")) as {
      apps: { http: { servers: { s: { listen: string[] } } } };
    };
    config.apps.http.servers.s.listen = [`unix/${path}|0600`];
    expect((await load(config)).status).toBe(200);
    for (let round = 0; round < 5; round++) {
      const socket = connect(path);
      socket.end("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      expect(await text(socket)).toMatch(/unix$/);
    }
  });

  test("fifty reloads under load refuse, reset and fail nothing", async () => {
    await load(siteConfig(respond("0")));
    const { site } = running;
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    let stop = false;
    let answered = 0;
    const client = async (each: Agent | false) => {
      while (!stop) {
        const [response] = await once(get(site, { agent: each }), "response");
        expect(response.statusCode).toBe(200);
        expect(await text(response)).toMatch(/^\d+$/);
        answered++;
      }
    };
    const clients = [...Array(8).fill(agent), ...Array(4).fill(false)].map(client);
    for (let version = 1; version <= 50; version++) {
      expect((await load(siteConfig(respond(String(version))))).status).toBe(200);
    }
    stop = true;
    await Promise.all(clients);
    expect(answered).toBeGreaterThan(50);
    agent.destroy();
  });

  test("that die under load are replaced, and the others keep the port open", async () => {
    await load(siteConfig(respond("alive")));
    const { site, server } = running;
    let stop = false;
    let refused = 0;
    const outcomes: string[] = [];
    const client = async () => {
      while (!stop) {
        try {
          outcomes.push((await ask(site)).text);
        } catch (error) {
          refused += (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? 1 : 0;
        }
      }
    };
    const clients = Array.from({ length: 4 }, client);
    await server.workers?.kill(1);
    // A change waits for the successor.
    expect((await load(siteConfig(respond("changed")))).status).toBe(200);
    await server.workers?.kill(2);
    expect((await load(siteConfig(respond("again")))).status).toBe(200);
    stop = true;
    await Promise.all(clients);
    expect(refused).toBe(0);
    expect(new Set(outcomes)).toContain("changed");
    expect(await askMany(20)).toEqual(new Set(["again"]));
    expect(running.sites).toEqual([site]);
  });

  test("have CPU profiles, one for each thread", async () => {
    const taken = running.admin("GET", "/debug/pprof/profile?thread=2&seconds=0.2");
    await askMany(20);
    const profile = JSON.parse((await taken).text) as { nodes: unknown[]; samples: unknown[] };
    expect(profile.nodes.length).toBeGreaterThan(0);
    expect(profile.samples.length).toBeGreaterThan(0);
    const missing = await running.admin("GET", "/debug/pprof/profile?thread=3&seconds=0.1");
    expect([missing.status, missing.error]).toEqual([400, "worker 3 does not run"]);
    const malformed = await running.admin("GET", "/debug/pprof/profile?thread=x&seconds=0.1");
    expect([malformed.status, malformed.error]).toEqual([400, "thread 'x' is not the number of a thread"]);
  });

  test("tell the admin endpoint their metrics", async () => {
    const answer = await running.admin("GET", "/metrics");
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("server_config_last_reload_successful");
  });
});
