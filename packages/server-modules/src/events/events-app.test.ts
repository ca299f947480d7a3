import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { selfSigned } from "certificates/testing/self-signed";
import type { CloudEvent } from "server-core/events/server-event";
import { askTls } from "server-core/testing/ask-tls";
import { EventQueue } from "server-core/testing/event-queue";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";

/** A user's handler: posts each event, and aborts it on request. */
const moduleText = `import { defineModule, EventAborted, type EventHandler, z } from "admin-server/module";
export default defineModule({
  id: "events.handlers.post",
  config: z.strictObject({ url: z.string(), note: z.string().default("") }),
  provision: ({ url, note }): EventHandler => ({
    async handle(event, signal) {
      const body = JSON.stringify({ ...event.cloudEvent(), note: event.fill(note) });
      const response = await fetch(url, { method: "POST", body, signal });
      if (response.status === 409) throw new EventAborted(await response.text());
    },
  }),
});`;

interface Posted extends CloudEvent {
  readonly note: string;
}

let folder: string;
let ownModule: string;
let posted: EventQueue<Posted>;
let post: UpstreamServer;
/** The answer of the events' receiver; "" lets them continue. */
let refusal = "";
let running: RunningServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "events-"));
  ownModule = join(folder, "post.ts");
  await writeFile(ownModule, moduleText);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  posted = new EventQueue();
  refusal = "";
  post = await UpstreamServer.start(async (request, response) => {
    posted.push(JSON.parse(await text(request)) as Posted);
    response.writeHead(refusal === "" ? 204 : 409).end(refusal);
  });
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await post.kill();
});

const handler = (note = "") => ({ handler: "post", url: `http://${post.address}/`, note });

function config(subscriptions: unknown[], more: object = {}, routes: unknown[] = [respond("x")]) {
  return {
    modules: [ownModule],
    apps: {
      events: { subscriptions },
      http: { servers: { s: { listen: ["127.0.0.1:0"], routes } } },
      ...more,
    },
  };
}

test("a config tells of its start, and of its end when another one has started", async () => {
  running = await RunningServer.start(config([{ handlers: [handler("first {event.name}")] }]));
  expect(await posted.next()).toMatchObject({
    specversion: "1.0",
    source: "server",
    type: "started",
    data: {},
    note: "first started",
  });
  const second = config([{ handlers: [handler("second")] }]);
  expect((await running.admin("POST", "/load", second)).error).toBe("");
  const [one, other] = [await posted.next(), await posted.next()];
  expect([one, other].map(({ type, note }) => `${type}: ${note}`).sort()).toEqual([
    "started: second",
    "stopping: first stopping",
  ]);
  // The end of the process waits for the handler.
  await running.close();
  running = undefined;
  expect(await posted.next()).toMatchObject({ type: "stopping", note: "second" });
});

test("a dry run calls nobody, and neither does a config that is refused before it starts", async () => {
  running = await RunningServer.start();
  const { cert, key } = await selfSigned("a.example");
  const tls = { certificates: { load_pem: [{ certificate: cert, key }] } };
  const subscribed = config([{ events: ["cached_unmanaged_cert", "started"], handlers: [handler()] }], {
    tls,
  });
  expect((await running.admin("POST", "/validate", subscribed)).error).toBe("");
  const broken = {
    ...subscribed,
    apps: { ...subscribed.apps, http: { servers: { s: { listen: ["bad"] } } } },
  };
  expect((await running.admin("POST", "/load", broken)).status).toBe(400);
  expect((await running.admin("POST", "/load", subscribed)).error).toBe("");
  // The first event of all is of the config that runs.
  expect(await posted.next()).toMatchObject({
    type: "cached_unmanaged_cert",
    source: "tls",
    data: { sans: ["a.example"] },
  });
  expect(await posted.next()).toMatchObject({ type: "started" });
});

test.each([0, 2])(
  "a handshake is told of before it goes on, and can be refused (%i workers)",
  async (workers) => {
    const { cert, key } = await selfSigned("a.example");
    const subscription = {
      events: ["tls_get_certificate"],
      handlers: [handler("{event.data.client_hello}")],
    };
    const whole = config([subscription], {
      tls: { certificates: { load_pem: [{ certificate: cert, key }] } },
    });
    Object.assign(whole.apps.http.servers.s, { tls_connection_policies: [{}] });
    running = await RunningServer.start(whole, {}, workers);
    const once = () => askTls(running?.site ?? "", { servername: "a.example", rejectUnauthorized: false });
    expect((await once()).text).toBe("x");
    expect(await posted.next()).toMatchObject({
      source: "tls",
      note: '{"ServerName":"a.example","SupportedProtos":[]}',
    });
    refusal = "no";
    await expect(once()).rejects.toThrow("alert internal error");
    await posted.next();
    // Without a handler nobody is asked.
    const quiet = { ...whole, apps: { ...whole.apps, events: {} } };
    expect((await running.admin("POST", "/load", quiet)).error).toBe("");
    expect((await once()).text).toBe("x");
  },
);

describe("certificates", () => {
  const internal = {
    tls: {
      certificates: { automate: ["site.internal"] },
      automation: { policies: [{ issuers: [{ module: "internal" }] }] },
    },
  };

  test("each step is told, with where it is stored", async () => {
    const subscription = { modules: ["tls"], handlers: [handler("{event.data.identifier}")] };
    running = await RunningServer.start(config([subscription], internal));
    const steps = [await posted.next(), await posted.next(), await posted.next()];
    expect(steps.map(({ type, data, note }) => ({ type, data, note }))).toEqual([
      { type: "cert_obtaining", data: { identifier: "site.internal" }, note: "site.internal" },
      {
        type: "cert_obtained",
        data: {
          renewal: false,
          identifier: "site.internal",
          issuer: "local",
          storage_path: "certificates/local/site.internal",
          private_key_path: "certificates/local/site.internal/site.internal.key",
          certificate_path: "certificates/local/site.internal/site.internal.crt",
          metadata_path: "certificates/local/site.internal/site.internal.json",
        },
        note: "site.internal",
      },
      { type: "cached_managed_cert", data: { sans: ["site.internal"] }, note: "{event.data.identifier}" },
    ]);
  });

  test("a handler can keep one from being obtained", async () => {
    refusal = "not on sundays";
    const subscription = { events: ["cert_obtaining"], handlers: [handler()] };
    running = await RunningServer.start(config([subscription], internal));
    expect((await posted.next()).type).toBe("cert_obtaining");
    expect((await running.admin("GET", "/tls/certificates")).text).toContain(
      "obtaining certificate aborted by event handler: not on sundays",
    );
  });
});

test.each([0, 2])(
  "upstreams that go down and come up are told once, whatever thread saw it (%i workers)",
  async (workers) => {
    let status = 500;
    const upstream = await UpstreamServer.start((_, response) => response.writeHead(status).end());
    const proxy = {
      handler: "reverse_proxy",
      upstreams: [{ dial: upstream.address }],
      health_checks: { active: { uri: "/", interval: "20ms" } },
    };
    const subscription = {
      modules: ["http.handlers"],
      handlers: [handler("{event.module} {event.data.host}")],
    };
    running = await RunningServer.start(config([subscription], {}, [{ handle: [proxy] }]), {}, workers);
    const told = (type: string) => ({
      type,
      source: "http.handlers.reverse_proxy",
      data: { host: upstream.address },
      note: `http.handlers.reverse_proxy ${upstream.address}`,
    });
    expect(await posted.next()).toMatchObject(told("unhealthy"));
    status = 200;
    expect(await posted.next()).toMatchObject(told("healthy"));
    // Handlers that a change does not touch go on, and so do their events.
    const other = config([subscription], {}, [{ handle: [proxy] }, respond("y")]);
    expect((await running.admin("POST", "/load", other)).error).toBe("");
    status = 500;
    expect(await posted.next()).toMatchObject(told("unhealthy"));
    await upstream.kill();
  },
);

test.each([
  [[{ handlers: [] }], "loading events app module: subscription 0: no handlers defined"],
  [[{ handlers: [{ handler: "nope" }] }], "unknown module: events.handlers.nope"],
  [[{ names: [] }], 'unknown field "names"'],
])("%j is refused", async (subscriptions, message) => {
  running ??= await RunningServer.start();
  const answer = await running.admin("POST", "/load", { apps: { events: { subscriptions } } });
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
});
