// Tests docker-compose.yml: builds its images, runs its containers under podman, and checks that spans sent through the
// front door are found through it. Takes minutes on a machine with the tools, and is skipped on others: `.ci/run`
// installs the tools; TEST_CONTAINERS=0 always skips this test.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freeAddresses, testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import { z } from "zod";
import { eventually, expectEqual } from "../../src/expect.ts";
import { sampleTrace } from "../../src/tracing-api/sample-trace.ts";
import { protobufRequest, protobufSpan } from "../bad-input/otlp-spans.ts";
import { newSeed, randomOf } from "../faults/seeded-random.ts";
import { SpanLedger } from "../faults/span-ledger.ts";
import { SpanSenders } from "../faults/span-senders.ts";
import { dashboards, rules } from "../observability/monitoring-files.ts";
import { metricOf, readExpression } from "../observability/prom-ql.ts";
import { clickhouseImages } from "./clickhouse-images.ts";
import { baseImage, ContainerEngine, NoContainersError } from "./container-engine.ts";
import { FrontDoorClient } from "./front-door-client.ts";
import { unansweredGrafanaRequests } from "./grafana-requests.ts";
import { prometheusImage } from "./prometheus-image.ts";

const serverProgram = testedProgram(
  fileURLToPath(new URL("../../../admin-server/bin/server.ts", import.meta.url)),
);
/** On a quiet machine this takes three minutes, on a busy one ten. */
const prepareWithinMs = 1_500_000;
const withinMs = 90_000;
/**
 * Limit for steps that start and stop containers: a busy machine took two minutes to store the spans of removed
 * collectors.
 */
const scaledWithinMs = 240_000;
const moreRequests = 5;
const ours = [
  ...["tracing-storage", "tracing-collector", "tracing-query", "admin-server"],
  ...["shop", "shop-agent"],
];
const portNames = [
  ...["HTTPS_PORT", "HTTP_PORT", "OTLP_GRPC_PORT", "OTLP_HTTP_PORT"],
  ...["API_V2_GRPC_PORT", "THRIFT_HTTP_PORT", "ZIPKIN_PORT", "PROMETHEUS_PORT"],
] as const;
/** A tag that no registry has, so that Prometheus' official image is not downloaded. */
const prometheusVersion = "of-this-machine";

let missing = process.env.TEST_CONTAINERS === "0" ? "TEST_CONTAINERS=0" : "";
let opened: ContainerEngine | undefined;
let client: FrontDoorClient | undefined;
let ports: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  if (missing !== "") {
    return;
  }
  const free = await freeAddresses(portNames.length);
  ports = Object.fromEntries(portNames.map((name, index) => [name, free[index]?.split(":")[1] ?? ""]));
  try {
    opened = await ContainerEngine.open({ ...ports, PROMETHEUS_VERSION: prometheusVersion });
  } catch (error) {
    if (!(error instanceof NoContainersError)) {
      throw error;
    }
    missing = error.message;
    process.stderr.write(`compose is not tried: ${missing}\n`);
    return;
  }
  await opened.compose("--profile", "demo", "build");
  await opened.compose("--profile", "demo", ...upOfImages);
  const begin = performance.now();
  const door = new FrontDoorClient(Number(ports.HTTPS_PORT), await rootCertificate(opened));
  const { traceId, otlpJson } = sampleTrace();
  await eventually(async () => expectEqual(await door.ask("/v1/traces", otlpJson), kept, "answer"), withinMs);
  await found(door, traceId, 2);
  client = door;
  process.stderr.write(`first trace found ${Math.round(performance.now() - begin)} ms after compose up\n`);
}, prepareWithinMs);

afterAll(() => opened?.close(), 120_000);

const kept = { status: 200, text: '{"partialSuccess":{}}' };

/** The root certificate, copied with `docker compose cp`. */
async function rootCertificate(engine: ContainerEngine): Promise<string> {
  const file = "/data/data/server/pki/authorities/local/root.crt";
  const read = `process.stdout.write(require("node:fs").readFileSync(${JSON.stringify(file)}))`;
  return await eventually(
    () => engine.podman("exec", engine.containerOf("admin-server"), "node", "-e", read),
    withinMs,
  );
}

async function found(door: FrontDoorClient, traceId: string, spans: number): Promise<void> {
  await eventually(async () => {
    const { status, text } = await door.ask(`/api/traces/${traceId}`);
    expectEqual(status, 200, `status (${text.slice(0, 200)})`);
    const { data } = JSON.parse(text) as { data: { spans: unknown[] }[] };
    expectEqual(data[0]?.spans.length, spans, "spans");
  }, withinMs);
}

/** The engine and a client for its containers; skips the test when there is no engine. */
function running({ skip }: TestContext): { engine: ContainerEngine; door: FrontDoorClient } {
  if (opened === undefined || client === undefined) {
    return skip(missing);
  }
  return { engine: opened, door: client };
}

test("a trace over gRPC and TLS is found through the front door", async (context) => {
  const { door } = running(context);
  const traceId = randomBytes(16);
  const times = Buffer.alloc(18);
  for (const [number, at] of [
    [7, 0],
    [8, 9],
  ] as const) {
    times.writeUInt8(number * 8 + 1, at);
    times.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n, at + 1);
  }
  const request = protobufRequest(protobufSpan(traceId, randomBytes(8), times));
  const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  expect(await door.callGrpc(path, request)).toBe("OK");
  await found(door, traceId.toString("hex"), 1);
});

test("plain HTTP leads to HTTPS, which serves the UI", async (context) => {
  const { door } = running(context);
  const plain = await fetch(`http://localhost:${ports.HTTP_PORT}/search?a=b`, { redirect: "manual" });
  expect(plain.status).toBe(308);
  expect(plain.headers.get("location")).toBe(`https://localhost:${ports.HTTPS_PORT}/search?a=b`);
  expect(await door.ask("/search")).toMatchObject({ status: 200, text: expect.stringContaining("<html") });
});

test("the shop's traces come in, and spans over UDP through its agent", async (context) => {
  const { engine, door } = running(context);
  const [high, low] = [randomBytes(4).readInt32BE(), randomBytes(4).readInt32BE()];
  const startUs = Buffer.alloc(8);
  startUs.writeBigInt64BE(BigInt(Date.now()) * 1_000n);
  const id = { high, low };
  const span = {
    ...{ traceIdLow: id, traceIdHigh: { high: 0, low: 0 }, spanId: id, parentSpanId: { high: 0, low: 0 } },
    ...{ operationName: "packet", flags: 1, tags: [], duration: { high: 0, low: 1_000 } },
    startTime: { high: startUs.readInt32BE(0), low: startUs.readInt32BE(4) },
  };
  const batch = { process: { serviceName: "till", tags: [] }, spans: [span] };
  const packet = encodeAgentPacket(batch, "compact").toString("base64");
  const send = `const s = require("node:dgram").createSocket("udp4");
    s.send(Buffer.from("${packet}", "base64"), 6831, "127.0.0.1", () => s.close())`;
  await eventually(async () => {
    // UDP packets are lost while the agent starts, so they are sent again.
    await engine.podman("exec", engine.containerOf("shop"), "node", "-e", send);
    const { text } = await door.ask("/api/services");
    for (const name of ["storefront", "till"]) {
      expectEqual(JSON.parse(text).data.includes(name), true, `${name} in ${text}`);
    }
  }, withinMs);
});

/** Clients that send over five protocols through the front door. */
function sendersTo(ledger: SpanLedger): SpanSenders {
  const address = (name: string) => `127.0.0.1:${ports[name]}`;
  return new SpanSenders({
    addresses: {
      otlpGrpc: address("OTLP_GRPC_PORT"),
      otlpHttp: address("OTLP_HTTP_PORT"),
      apiV2Grpc: address("API_V2_GRPC_PORT"),
      thriftHttp: address("THRIFT_HTTP_PORT"),
      zipkinHttp: address("ZIPKIN_PORT"),
    },
    ledger,
    random: randomOf(newSeed()),
  });
}

const upOfImages = ["up", "--detach", "--no-build"];

/** Number of spans that a replica of the collector has received since it started. */
async function receivedBy(engine: ContainerEngine, number: number): Promise<number> {
  const ask = `fetch("http://localhost:14269/metrics").then(async (answer) => console.log(await answer.text()))`;
  const text = await engine.podman(
    "exec",
    engine.containerOf("tracing-collector", number),
    "node",
    "-e",
    ask,
  );
  const counts = text.matchAll(/^tracing_collector_spans_received_total\{[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Waits until a store has every acknowledged span once. */
async function allStored(ledger: SpanLedger, store: string): Promise<void> {
  const report = await eventually(async () => {
    const compared = await ledger.compare(`http://${store}:8123/`);
    if (compared.found < compared.acknowledged) {
      throw new Error(JSON.stringify(compared));
    }
    return compared;
  }, scaledWithinMs);
  expect(report, store).toMatchObject({ missing: 0, duplicates: 0 });
}

test("a collector killed behind the front door: every acknowledged span is found once", async (context) => {
  const { engine } = running(context);
  const ledger = new SpanLedger();
  const senders = sendersTo(ledger);
  const collector = engine.containerOf("tracing-collector");
  try {
    await senders.more(moreRequests, scaledWithinMs);
    await engine.podman("kill", "--signal", "KILL", collector);
    await senders.more(moreRequests, scaledWithinMs);
    await engine.podman("start", collector);
    await senders.more(moreRequests, scaledWithinMs);
    const scale = (count: number) =>
      engine.compose(...["--profile", "demo"], ...upOfImages, "--scale", `tracing-collector=${count}`);
    await scale(1);
    await senders.more(moreRequests, scaledWithinMs);
    const up = performance.now();
    await scale(5);
    const allReceived = () => Promise.all([1, 2, 3, 4, 5].map((number) => receivedBy(engine, number)));
    // On a busy machine a collector needs more time to start than the front door needs to find it.
    await eventually(allReceived, scaledWithinMs);
    const begin = performance.now();
    // The front door looks up its collectors by name every two seconds.
    await eventually(async () => {
      const received = await allReceived();
      expectEqual(
        received.map((spans) => spans > 0),
        received.map(() => true),
        `each of five receives: ${received}`,
      );
    }, scaledWithinMs);
    process.stderr.write(
      `five collectors listen ${Math.round(begin - up)} ms after the begin of compose up, receive ${Math.round(performance.now() - begin)} ms later\n`,
    );
    // Spans acknowledged without a storage are on the disk of the collector that accepted them; five collectors
    // accepted some.
    await engine.podman("stop", engine.containerOf("tracing-storage"));
    await senders.more(moreRequests, scaledWithinMs);
    await scale(2);
    await senders.more(moreRequests, scaledWithinMs);
  } finally {
    await senders.stop();
  }
  await allStored(ledger, await engine.addressOf("tracing-storage"));
}, 1_200_000);

test("what was changed through the admin API is there after a restart of the container, and in a new one", async (context) => {
  const { engine } = running(context);
  const server = engine.containerOf("admin-server");
  const ask = (
    method: string,
    body: string,
  ) => `fetch("http://localhost:2019/config/apps/http/servers/kept", {
    method: ${JSON.stringify(method)}, ${body}
    headers: { "Content-Type": "application/json", Origin: "http://localhost:2019" },
  }).then(async (answer) => console.log(answer.status, await answer.text()))`;
  const run = (script: string) => engine.podman("exec", server, "node", "-e", script);
  const site = JSON.stringify(JSON.stringify({ listen: ["127.0.0.1:8099"], routes: [] }));
  expect(await run(ask("PUT", `body: ${site},`))).toMatch(/^200/);
  await engine.podman("restart", "--time", "10", server);
  expect(await eventually(() => run(ask("GET", "")), withinMs)).toContain("127.0.0.1:8099");
  await engine.compose(...upOfImages, "--force-recreate", "--no-deps", "admin-server");
  expect(await eventually(() => run(ask("GET", "")), withinMs)).toContain("127.0.0.1:8099");
}, 180_000);

test("Prometheus reaches each process, has our rules, the dashboards metrics that there are, and Grafana its data sources", async (context) => {
  const { engine } = running(context);
  const image = await prometheusImage(engine, prometheusVersion);
  if (image.missing !== undefined) {
    return context.skip(image.missing);
  }
  await engine.compose("--profile", "monitoring", "up", "--detach", "--no-build", "prometheus");
  const api = `http://localhost:${ports.PROMETHEUS_PORT}/api/v1`;
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
    z.object({ data: schema }).parse(await (await fetch(`${api}/${path}`)).json()).data;
  await eventually(async () => {
    const { activeTargets } = await ask("targets", targetsSchema);
    const jobs = activeTargets.map(({ labels }) => labels.job).sort();
    expectEqual(activeTargets.filter(({ health }) => health !== "up").map(describeTarget), [], "not up");
    expectEqual(jobs, allJobs, "jobs");
    const { groups } = await ask("rules", rulesSchema);
    expectEqual(groups.flatMap((group) => group.rules).length, rules.length, "rules");
  }, withinMs);
  const scraped = await ask("metadata", z.record(z.string(), z.unknown()));
  // Descriptions in OpenMetrics use a counter's name without the ending of its samples' names.
  const isScraped = (name: string) =>
    Object.hasOwn(scraped, name) || Object.hasOwn(scraped, name.replace(/_total$/, ""));
  const recorded = new Set(["up", ...rules.flatMap(({ record }) => record ?? [])]);
  for (const { file, panels } of dashboards) {
    const names = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => readExpression(expr).metrics),
    );
    const away = names.filter((name) => !recorded.has(name) && !isScraped(metricOf(name, isScraped)));
    expect(away, file).toEqual([]);
  }
  // Grafana's requests are sent without its image, because no registry may be reachable.
  expect(await unansweredGrafanaRequests(engine)).toEqual([]);
}, 180_000);

test("images are small", async (context) => {
  const { engine } = running(context);
  for (const service of ours) {
    const image = await engine.podman("inspect", "--format", "{{.Image}}", engine.containerOf(service));
    const size = await engine.podman("image", "inspect", "--format", "{{.Size}}", image);
    // The uncompressed size, because compressing takes long: gzip makes 52 MB of 157, and 228 of 728 (docs/compose.md).
    const most = service === "tracing-storage" ? 850_000_000 : 220_000_000;
    expect(Number(size), service).toBeLessThan(most);
    expect(Number(size), service).toBeGreaterThan(50_000_000);
  }
});

/** Each job of prometheus.yml, once for each of its targets, because there are two collectors. */
const allJobs = [
  ...["admin-server", "spans", "tracing-agent", "tracing-collector", "tracing-collector", "tracing-query"],
  "tracing-storage",
];

const targetsSchema = z.object({
  activeTargets: z.array(
    z.object({
      labels: z.object({ job: z.string(), instance: z.string() }),
      health: z.string(),
      lastError: z.string(),
    }),
  ),
});

const rulesSchema = z.object({ groups: z.array(z.object({ rules: z.array(z.unknown()) })) });

function describeTarget({
  labels,
  lastError,
}: z.infer<typeof targetsSchema>["activeTargets"][number]): string {
  return `${labels.instance}: ${lastError}`;
}

test("each container passes its health check, is not root, and cannot write to its root", async (context) => {
  const { engine } = running(context);
  const look = `const { writeFileSync } = require("node:fs");
    let fault; try { writeFileSync("/program/x", "") } catch (error) { fault = error.code }
    console.log(process.getuid(), fault)`;
  for (const service of ours) {
    const container = engine.containerOf(service);
    expect(await engine.podman("exec", container, "node", "-e", look), service).toBe("1000 EROFS");
    if (service !== "shop") {
      await eventually(() => engine.podman("healthcheck", "run", container), withinMs);
    }
  }
}, 180_000);

test("each image has the texts of its licences", async (context) => {
  const { engine } = running(context);
  const look = `const { readFileSync } = require("node:fs");
    const texts = ["/program/LICENSE", "/program/NOTICE", "/program/THIRD_PARTY.md", "/usr/local/LICENSE", "/usr/share/doc/libc6/copyright"];
    console.log(texts.filter((path) => readFileSync(path, "utf8").length < 500).join(), /Apache/.test(readFileSync("/program/LICENSE", "utf8")))`;
  for (const service of ours) {
    expect(await engine.podman("exec", engine.containerOf(service), "node", "-e", look), service).toBe(
      "true",
    );
  }
});

test("storage has the tools that it calls", async (context) => {
  const { engine } = running(context);
  const look = `const { statSync } = require("node:fs");
    const { spawnSync } = require("node:child_process");
    console.log(statSync("/data/storage/spool/result-0").isFIFO(), spawnSync("chattr").error?.code)`;
  const container = engine.containerOf("tracing-storage");
  expect(await engine.podman("exec", container, "node", "-e", look)).toBe("true undefined");
});

test("labels of containers are sites, as containers come and go", async (context) => {
  const { engine } = running(context);
  const [admin = "", site = ""] = await freeAddresses(2);
  const folder = mkdtempSync(join(tmpdir(), "labels-"));
  const environment = {
    ...process.env,
    SERVER_ADMIN: admin,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const server = spawn(process.execPath, [serverProgram, "docker-proxy", "--docker-sockets", engine.socket], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const names = ["labelled-one", "labelled-two"];
  const serve =
    'require("node:http").createServer((_, answer) => answer.end(require("node:os").hostname())).listen(80)';
  const run = async (name: string) => {
    const labels = [
      `caddy=http://${site}`,
      "caddy.reverse_proxy={{upstreams 80}}",
      "caddy.reverse_proxy.lb_policy=round_robin",
    ];
    const words = labels.flatMap((label) => ["--label", label]);
    await engine.podman(
      "run",
      "--detach",
      "--name",
      name,
      "--hostname",
      name,
      ...words,
      baseImage,
      "node",
      "-e",
      serve,
    );
  };
  /** Names of the servers that answer eight requests; empty while there is no site. */
  const answering = async () => {
    const texts = await Promise.all(
      Array.from({ length: 8 }, () =>
        fetch(`http://${site}/`).then(
          (answer) => answer.text(),
          () => "",
        ),
      ),
    );
    return [...new Set(texts)].filter((text) => text !== "").sort();
  };
  try {
    await run("labelled-one");
    await eventually(async () => expectEqual(await answering(), ["labelled-one"], "one container"), withinMs);
    await run("labelled-two");
    await eventually(async () => expectEqual(await answering(), names, "two containers"), withinMs);
    await engine.podman("rm", "--force", "--time", "0", "labelled-one");
    await eventually(async () => expectEqual(await answering(), ["labelled-two"], "the other"), withinMs);
    await engine.podman("rm", "--force", "--time", "0", "labelled-two");
    await eventually(async () => expectEqual(await answering(), [], "none"), withinMs);
    expect(server.exitCode).toBe(null);
  } finally {
    await engine.podman("rm", "--force", "--ignore", "--time", "0", ...names);
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);

test("each container ends by itself when it is told to", async (context) => {
  const { engine } = running(context);
  // A process that takes longer is killed and has the exit code 137.
  await engine.compose("--profile", "demo", "stop", "--timeout", "10");
  for (const service of ours) {
    const container = engine.containerOf(service);
    const code = await engine.podman("inspect", "--format", "{{.State.ExitCode}}", container);
    // The last lines of the log show the reason for the wait.
    const lines = code === "0" ? "" : `\n${await engine.lastLines(container)}`;
    expect(`${service} ${code}${lines}`).toBe(`${service} 0`);
  }
}, 180_000);

const clickhouseServers = ["clickhouse-s1r1", "clickhouse-s1r2", "clickhouse-s2r1", "clickhouse-s2r2"];
const clickhouseServices = [...clickhouseServers, "clickhouse-keeper"];

test("the profile cluster keeps every acknowledged span, with a server killed and started meanwhile", async (context) => {
  const { engine } = running(context);
  const images = await clickhouseImages(engine);
  if (images.missing !== undefined) {
    return context.skip(images.missing);
  }
  // docker-compose 1 removes the shop before its agent, which uses the shop's network.
  await engine.podman("rm", "--force", "--time", "1", engine.containerOf("shop-agent"));
  await engine.compose("--profile", "demo", "--profile", "monitoring", "down", "--volumes", "--timeout", "1");
  const files = ["--file", "docker-compose.yml", "--file", await engine.boundsOf(clickhouseServices)];
  const cluster = [...files, "--env-file", "docker/cluster.env", "--profile", "cluster"];
  await engine.compose(...cluster, ...upOfImages, "--scale", "tracing-collector=5");
  const started = (await engine.podman("ps", "--format", "{{.Names}}")).split("\n");
  expect(started).toEqual(expect.arrayContaining(clickhouseServers.map((name) => engine.containerOf(name))));
  expect(started).not.toContain(engine.containerOf("tracing-storage"));
  const door = new FrontDoorClient(Number(ports.HTTPS_PORT), await rootCertificate(engine));
  const { traceId, otlpJson } = sampleTrace();
  await eventually(async () => expectEqual(await door.ask("/v1/traces", otlpJson), kept, "answer"), withinMs);
  await found(door, traceId, 2);

  const ledger = new SpanLedger();
  const senders = sendersTo(ledger);
  const killed = engine.containerOf("clickhouse-s1r1");
  try {
    await senders.more(moreRequests, withinMs);
    await engine.podman("kill", "--signal", "KILL", killed);
    await senders.more(moreRequests, withinMs);
    await engine.podman("start", killed);
    await senders.more(moreRequests, withinMs);
  } finally {
    await senders.stop();
  }
  for (const name of clickhouseServers) {
    await allStored(ledger, await engine.addressOf(name));
  }
}, 600_000);
