import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeEach(async () => {
  running = await RunningServer.start(siteConfig(respond("0")));
});
afterEach(() => running.close());

const load = (config: unknown) => running.admin("POST", "/load", config);
const proxyTo = (address: string) => ({
  handle: [{ handler: "reverse_proxy", upstreams: [{ dial: address }] }],
});

test("fifty reloads under load refuse, reset and fail nothing", async () => {
  const { site } = running;
  const keepAlive = new Agent({ keepAlive: true });
  let stop = false;
  let answered = 0;
  const client = async (agent: Agent | false): Promise<void> => {
    while (!stop) {
      const [response] = await once(get(site, { agent }), "response");
      expect(response.statusCode).toBe(200);
      expect(await text(response)).toMatch(/^\d+$/);
      answered++;
    }
  };
  const agents: (Agent | false)[] = [keepAlive, keepAlive, keepAlive, false, false];
  const clients = Promise.all(agents.map(client));
  try {
    for (let version = 1; version <= 50; version++) {
      expect((await load(siteConfig(respond(String(version))))).status).toBe(200);
      expect((await ask(site)).text).toBe(String(version));
    }
  } finally {
    stop = true;
    await clients;
  }
  expect(answered).toBeGreaterThan(50);
  keepAlive.destroy();
});

test("a request in flight finishes on its config, and /load does not wait for it", async () => {
  const arrived = new EventQueue<() => void>();
  const upstream = await UpstreamServer.start((_, response) => arrived.push(() => response.end("slow")));
  await load(siteConfig(proxyTo(upstream.address)));
  const slow = ask(running.site);
  const answerIt = await arrived.next();
  expect((await load(siteConfig(respond("new")))).status).toBe(200);
  expect((await ask(running.site)).text).toBe("new");
  // The upstream of the old config stays in the pool as long as it works.
  expect((await running.admin("GET", "/reverse_proxy/upstreams")).text).toBe(
    `[{"address":"${upstream.address}","num_requests":1,"fails":0}]\n`,
  );
  answerIt();
  expect((await slow).text).toBe("slow");
  await upstream.kill();
});

test("the grace period cuts what an old config does not finish", async () => {
  const arrived = new EventQueue<void>();
  const upstream = await UpstreamServer.start(() => arrived.push());
  const config = siteConfig(proxyTo(upstream.address)) as { apps: { http: Record<string, unknown> } };
  config.apps.http.grace_period = "50ms";
  await load(config);
  const slow = ask(running.site);
  const cut = expect(slow).rejects.toThrow();
  await arrived.next();
  await load(siteConfig(respond("new")));
  await cut;
  expect((await ask(running.site)).text).toBe("new");
  await upstream.kill();
});

test("after a removal the port goes on for the shutdown delay, and says so", async () => {
  const config = siteConfig(respond("{http.shutting_down} {http.time_until_shutdown}")) as {
    apps: { http: { shutdown_delay?: string; servers: Record<string, unknown> } };
  };
  config.apps.http.shutdown_delay = "5s";
  await running.admin("POST", "/load", config);
  const { site } = running;
  expect((await ask(site)).text).toBe("false ");
  // The port stays open, so nothing is delayed.
  await running.admin("POST", "/config/apps/http/servers/s/routes", { "@id": "more" });
  expect((await ask(site)).text).toBe("false ");
  const removed = await running.admin("DELETE", "/config/apps/http/servers/s");
  expect(removed.status).toBe(200);
  expect((await ask(site)).text).toMatch(/^true [0-5](\.\d+)?s$/);
  const outcome = () =>
    ask(site).then(
      ({ text }) => text,
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(outcome, { timeout: 60_000 }).toBe("ECONNREFUSED");
});

test("a removed server takes no more, and finishes what it has", async () => {
  const arrived = new EventQueue<() => void>();
  const upstream = await UpstreamServer.start((_, response) => arrived.push(() => response.end("last")));
  await load(siteConfig(proxyTo(upstream.address)));
  const { site } = running;
  const { port } = new URL(site);
  const idle = connect(Number(port), "127.0.0.1");
  await once(idle, "connect");
  const idleClosed = once(idle, "close");
  const slow = ask(site);
  const answerIt = await arrived.next();
  expect((await running.admin("DELETE", "/config/apps/http/servers/s")).status).toBe(200);
  await expect(ask(site)).rejects.toThrow("ECONNREFUSED");
  await idleClosed;
  answerIt();
  expect((await slow).text).toBe("last");
  await upstream.kill();
});

test("a taken port refuses the config: the old one goes on and no port of the new one stays open", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const { site } = running;
  const config = siteConfig(respond("new")) as { apps: { http: { servers: { s: { listen: string[] } } } } };
  config.apps.http.servers.s.listen = ["127.0.0.1:0", "localhost:0", `127.0.0.1:${port}`];
  const answer = await load(config);
  expect([answer.status, answer.error]).toEqual([
    400,
    `loading config: loading new config: http app module: start: listening on 127.0.0.1:${port}: listen tcp 127.0.0.1:${port}: bind: address already in use`,
  ]);
  expect(running.sites).toEqual([site]);
  expect((await ask(site)).text).toBe("0");
  expect((await running.admin("GET", "/config/apps/http/servers/s/routes/0/handle/0/body")).text).toBe(
    '"0"\n',
  );
  taken.close();
});

test("a refused config closes the modules it had made", async () => {
  const upstream = await UpstreamServer.start((_, response) => response.end());
  const config = siteConfig(proxyTo(upstream.address), { handle: [{ handler: "nope" }] });
  expect((await load(config)).status).toBe(400);
  expect((await running.admin("GET", "/reverse_proxy/upstreams")).text).toBe("[]\n");
  await upstream.kill();
});

test("a keep-alive connection lives on over a reload and gets the new config", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const localPort = async (expected: string) => {
    const [response] = await once(get(running.site, { agent }), "response");
    const { localPort: port } = response.socket;
    expect(await text(response)).toBe(expected);
    return port;
  };
  const before = await localPort("0");
  await load(siteConfig(respond("1")));
  expect(await localPort("1")).toBe(before);
  agent.destroy();
});
