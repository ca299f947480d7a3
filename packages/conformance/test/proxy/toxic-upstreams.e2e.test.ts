// A fault proxy between the web server and its upstreams: latency, resets, slow closes, limits.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { findPeer } from "./find-peer.ts";
import { plainSite, startWebServer, type WebServer } from "./web-server.ts";

const program = findPeer("toxiproxy-server");
const skip = program === undefined;

/** One upstream behind the faults, and one without faults. */
const behind = { requests: [] as string[] };
const beside = { requests: [] as string[] };
const large = "0123456789".repeat(100_000);

async function listen(seen: { requests: string[] }, name: string): Promise<Server> {
  const server = createServer(async (message, response) => {
    seen.requests.push(`${message.method} ${await text(message)}`);
    response.end(message.url === "/large" ? large : name);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

interface Answer {
  readonly status: number;
  /** The body; undefined when it is incomplete. */
  readonly body: string | undefined;
}

describe.skipIf(skip)("an upstream behind faults (skipped without toxiproxy-server in $PEERS)", () => {
  const cleanups: (() => unknown)[] = [];
  let api = "";
  let toxic = "";
  let plain = "";
  let server: WebServer;

  async function call(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`http://${api}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) {
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    }
  }

  const addToxic = (type: string, attributes: object, stream = "downstream") =>
    call("POST", "/proxies/upstream/toxics", { name: "fault", type, stream, attributes });

  /** A config with both upstreams; the upstream with faults is used first. */
  async function proxyTo(dials: readonly string[], more: object = {}): Promise<void> {
    // The second upstream of a list is used first.
    const upstreams = [...dials.slice(-1), ...dials.slice(0, -1)].map((dial) => ({ dial }));
    const { load_balancing: balancing = {}, ...others } = more as { load_balancing?: object };
    await server.load(
      plainSite({
        handler: "reverse_proxy",
        upstreams,
        load_balancing: { selection_policy: { policy: "round_robin" }, ...balancing },
        // Every request uses a new connection, because an idle one would not have the fault.
        transport: { protocol: "http", keep_alive: { enabled: false }, response_header_timeout: "500ms" },
        ...others,
      }),
    );
  }

  function ask(path = "/", method = "GET", body = ""): Promise<Answer> {
    return new Promise((resolve) => {
      const sent = request(`http://${server.address}${path}`, { method, agent: false }, (response) => {
        text(response).then(
          (whole) => resolve({ status: response.statusCode ?? 0, body: whole }),
          () => resolve({ status: response.statusCode ?? 0, body: undefined }),
        );
      });
      sent.on("error", () => resolve({ status: 0, body: undefined }));
      sent.end(body);
    });
  }

  beforeAll(async () => {
    const [upstream, other] = [await listen(behind, "behind"), await listen(beside, "beside")];
    cleanups.push(
      () => upstream.close(),
      () => other.close(),
    );
    plain = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    [api = "", toxic = ""] = await freeAddresses(2);
    const [host = "", port = ""] = api.split(":");
    const child = spawn(program ?? "", ["-host", host, "-port", port], { stdio: "ignore" });
    cleanups.push(() => child.kill("SIGKILL"));
    await eventually(() => call("GET", "/version"), 20_000);
    await call("POST", "/proxies", {
      name: "upstream",
      listen: toxic,
      upstream: `127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      enabled: true,
    });
    server = await startWebServer(plainSite({ handler: "static_response" }));
    cleanups.push(() => server.close());
  });
  afterEach(async () => {
    await call("POST", "/reset");
    behind.requests.length = 0;
    beside.requests.length = 0;
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) {
      await cleanup();
    }
  });

  test("latency within the limit is served, above it is 504", async () => {
    await proxyTo([toxic]);
    await addToxic("latency", { latency: 50 });
    expect(await ask()).toEqual({ status: 200, body: "behind" });
    await call("POST", "/proxies/upstream/toxics/fault", { attributes: { latency: 5_000 } });
    expect((await ask()).status).toBe(504);
  });

  test("a reset before the answer: a GET goes elsewhere, a POST is sent only once and is 502", async () => {
    await proxyTo([toxic, plain], { load_balancing: { retries: 3, try_interval: "10ms" } });
    await addToxic("reset_peer", { timeout: 0 });
    for (let round = 0; round < 4; round++) {
      expect(await ask()).toEqual({ status: 200, body: "beside" });
    }
    behind.requests.length = 0;
    beside.requests.length = 0;
    const answers = [];
    for (let round = 0; round < 6; round++) {
      answers.push(await ask("/", "POST", `order ${round}`));
    }
    for (const { status, body } of answers) {
      expect([`502 `, "200 beside"]).toContain(`${status} ${body}`);
    }
    const orders = [...behind.requests, ...beside.requests];
    expect(new Set(orders).size).toBe(orders.length);
    expect(answers.some(({ status }) => status === 502)).toBe(true);
  });

  test("a reset before the answer: a POST is sent again where retry_match asks for it", async () => {
    await proxyTo([toxic, plain], {
      load_balancing: { retries: 3, try_interval: "10ms", retry_match: [{ method: ["POST"] }] },
      request_buffers: -1,
    });
    await addToxic("reset_peer", { timeout: 0 });
    for (let round = 0; round < 4; round++) {
      expect(await ask("/", "POST", "order")).toEqual({ status: 200, body: "beside" });
    }
  });

  test("an answer cut in the middle does not look whole, and is had from nobody else", async () => {
    await proxyTo([toxic]);
    await addToxic("limit_data", { bytes: 100_000 });
    expect(await ask("/large")).toEqual({ status: 200, body: undefined });
    expect(behind.requests).toEqual(["GET "]);
  });

  test("a connection that closes slowly costs no answer", async () => {
    await proxyTo([toxic]);
    await addToxic("slow_close", { delay: 2_000 });
    expect(await ask("/large")).toEqual({ status: 200, body: large });
  });

  test("an answer in slices comes whole", async () => {
    await proxyTo([toxic]);
    await addToxic("slicer", { average_size: 5_000, size_variation: 4_000, delay: 10 });
    expect(await ask("/large")).toEqual({ status: 200, body: large });
  });

  test("an upstream that is gone is left out, and taken again when it is back", async () => {
    await proxyTo([toxic, plain], { health_checks: { passive: { fail_duration: "200ms" } } });
    await call("POST", "/proxies/upstream", { enabled: false });
    for (let round = 0; round < 6; round++) {
      expect((await ask()).body).toBe("beside");
    }
    await call("POST", "/proxies/upstream", { enabled: true });
    await eventually(async () => {
      if ((await ask()).body !== "behind") {
        throw new Error("not taken again");
      }
    }, 20_000);
  });
});
