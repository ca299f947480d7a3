// Starts each process with a marked text for every secret that its options, environment and files can have, and with
// the most detailed log. Then it searches for the marks in everything that the process writes.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freeAddresses, testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { tenantSpans } from "./tenant-spans.ts";

const packages = fileURLToPath(new URL("../../../", import.meta.url));
const withinMs = 30_000;

/** The secret for which each mark stands, for the message of a failure. */
const marks = new Map<string, string>();

function mark(what: string): string {
  const text = `hush${randomBytes(9).toString("hex")}`;
  marks.set(text, what);
  // The encoded form for Basic authentication.
  for (const user of ["default", "reader", "me", "inner"]) {
    marks.set(Buffer.from(`${user}:${text}`).toString("base64"), `${what}, encoded`);
  }
  return text;
}

/** A process that may be unhealthy, because its store refuses it. */
class Outsider extends TestedProcess {
  protected override async isHealthy(url: string): Promise<boolean> {
    await fetch(url, { headers: { Origin: new URL(url).origin } });
    return true;
  }
}

/** Options with names like the names of secrets; each is either set below or is no secret. */
const tried: Readonly<Record<string, readonly string[]>> = {
  "tracing-storage": [
    "storage.http.password",
    "storage.http.password-file",
    "storage.http.read-only-password",
    "storage.http.read-only-password-file",
    "storage.cold.secret-access-key",
    "storage.cold.secret-access-key-file",
    "clickhouse.url",
    "clickhouse.password",
    "clickhouse.password-file",
  ],
  "tracing-collector": ["clickhouse.url", "clickhouse.password", "clickhouse.password-file"],
  "tracing-query": [
    "clickhouse.url",
    "clickhouse.password",
    "clickhouse.password-file",
    "prometheus.server-url",
    "prometheus.token-file",
    "query.metrics-push.otlp-url",
    "query.metrics-push.remote-write-url",
    "query.bearer-token-propagation",
    "prometheus.token-override-from-context",
  ],
  "tracing-agent": [],
};

const folder = mkdtempSync(join(tmpdir(), "secrets-"));
const processes: TestedProcess[] = [];
/** All answers and all output. */
const said: string[] = [];
let unwilling: Server;
let admins: string[];

const programOf = (name: string) => testedProgram(join(packages, name, "bin", `${name}.ts`));

function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
  return path;
}

async function hear(url: string, init: RequestInit = {}): Promise<number> {
  // The admin port opens before the other ports.
  const answer = await eventually(() => ask(url, init), withinMs);
  said.push(`${url.split("?", 1)[0]}: ${answer.text}`);
  return answer.status;
}

function run(name: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [programOf(name), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  said.push(`${name} ${args[0]}: ${stdout} ${stderr}`);
  return status;
}

beforeAll(async () => {
  unwilling = createServer((_request, response) => response.writeHead(500).end("no")).listen(0, "127.0.0.1");
  await once(unwilling, "listening");
});

afterAll(async () => {
  for (const process of processes) {
    await process.end("SIGTERM");
  }
  unwilling?.closeAllConnections();
  unwilling?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(
  name: string,
  admin: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<TestedProcess> {
  const all = [...args, "--admin.http.host-port", admin, "--log-level", "debug"];
  const process = new Outsider(name, `${name}/bin/${name}.ts`, all, `http://${admin}/`, environment);
  processes.push(process);
  run(name, ["print-config", ...all], environment);
  await process.start();
  return process;
}

test("no secret is in a log, a metric, an answer, an error, or what print-config says", async () => {
  const [storageHttp = "", queryHttp = "", otlpHttp = "", ...rest] = await freeAddresses(8);
  const [agentHttp = ""] = rest;
  admins = rest.slice(1);
  const [storageAdmin = "", collectorAdmin = "", queryAdmin = "", agentAdmin = ""] = admins;
  const nowhere = "127.0.0.1:0";
  const refused = `http://127.0.0.1:${(unwilling.address() as AddressInfo).port}`;
  const refusedAs = (what: string) => refused.replace("//", `//me:${mark(what)}@`);

  const storage = await start(
    "tracing-storage",
    storageAdmin,
    [
      ...["--storage.http.host-port", storageHttp, "--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", nowhere],
      ...["--storage.http.read-only-password-file", fileWith("reader", mark("the reader's password"))],
    ],
    { STORAGE_HTTP_PASSWORD: mark("the owner's password") },
  );
  const collector = await start(
    "tracing-collector",
    collectorAdmin,
    [
      ...["--collector.otlp.http.host-port", otlpHttp, "--collector.otlp.grpc.host-port", nowhere],
      ...["--collector.grpc-server.host-port", nowhere, "--collector.http-server.host-port", nowhere],
      ...["--collector.journal.dir", join(folder, "journal")],
      ...["--clickhouse.url", `http://me:${mark("a password in an address")}@${storageHttp}`],
    ],
    { CLICKHOUSE_PASSWORD: mark("the collector's password") },
  );
  const query = await start(
    "tracing-query",
    queryAdmin,
    [
      ...["--query.http-server.host-port", queryHttp, "--query.grpc-server.host-port", nowhere],
      ...["--clickhouse.url", `http://${storageHttp}`],
      ...["--clickhouse.password-file", fileWith("query", mark("the query service's password"))],
      ...["--metrics-storage.type", "prometheus", "--query.bearer-token-propagation"],
      ...["--prometheus.token-file", fileWith("token", mark("the token for Prometheus"))],
      "--query.enable-tracing",
      ...["--query.metrics-push.remote-write-url", refusedAs("a password in the address for metrics")],
      ...["--query.metrics-push.otlp-url", refusedAs("a password in the address for OTLP")],
      ...["--query.metrics-push.headers", `Authorization: Bearer ${mark("a header for metrics")}`],
      ...["--query.metrics-push.interval", "1s"],
    ],
    {
      PROMETHEUS_SERVER_URL: refusedAs("a password in Prometheus' address"),
      OTEL_EXPORTER_OTLP_ENDPOINT: refusedAs("a password in the address for own spans"),
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${mark("a header for own spans")}`,
    },
  );
  const agent = await start(
    "tracing-agent",
    agentAdmin,
    [
      ...["--processor.tracing-compact.server-host-port", nowhere, "--http-server.host-port", agentHttp],
      ...["--processor.tracing-binary.server-host-port", nowhere],
      ...["--processor.zipkin-compact.server-host-port", nowhere, "--reporter.grpc.host-port", "127.0.0.1:1"],
    ],
    {},
  );

  // Failures produce the most output.
  const sql = `http://${storageHttp}/?query=${encodeURIComponent("SELECT nothing FROM nowhere")}`;
  const wrong = mark("a wrong password");
  await hear(`${sql}&user=me&password=${wrong}`);
  await hear(sql, { headers: { "X-ClickHouse-User": "me", "X-ClickHouse-Key": wrong } });
  await hear(sql, { headers: { Authorization: `Basic ${Buffer.from(`me:${wrong}`).toString("base64")}` } });
  const spans = tenantSpans("", randomBytes(16).toString("hex"));
  const headers = {
    "Content-Type": "application/json",
    Authorization: `Bearer ${mark("a sender's token")}`,
    Cookie: `session=${mark("a sender's cookie")}`,
  };
  const body = JSON.stringify(spans.otlpJson);
  await hear(`http://${otlpHttp}/v1/traces`, { method: "POST", headers, body });
  await hear(`http://${otlpHttp}/v1/traces`, { method: "POST", headers, body: "{" });
  const client = { Authorization: `Bearer ${mark("a reader's token")}`, Cookie: `a=${mark("a cookie")}` };
  for (const path of [
    ...[
      "/api/services",
      `/api/traces/${spans.ownTraceId}`,
      "/api/traces?service=shop",
      "/api/nowhere",
      "/%zz",
    ],
    ...["/api/metrics/calls?service=shop", "/api/analysis/v1/heatmap", "/tempo/api/search?q={}", "/"],
  ]) {
    await hear(`http://${queryHttp}${path}`, { headers: client });
  }
  await hear(`http://${agentHttp}/sampling?service=shop`, { headers: client });
  for (const [process, text] of [
    [collector, /AUTHENTICATION_FAILED|password/i],
    [query, /status 500|not taken/],
  ] as const) {
    await eventually(async () => expect(process.log).toMatch(text), withinMs);
  }
  for (const admin of admins) {
    for (const path of ["/", "/metrics", "/version", "/config", "/debug/vars", "/debug/pprof/"]) {
      await hear(`http://${admin}${path}`, { headers: client });
    }
  }
  for (const process of processes) {
    said.push(`log of ${process.name}: ${process.log}`);
  }
  expect([storage, collector, query, agent].map(({ log }) => log.length > 0)).toEqual(Array(4).fill(true));

  const found = said.flatMap((text) =>
    [...marks]
      .filter(([one]) => text.includes(one))
      .map(([one, what]) => {
        const at = text.indexOf(one);
        return `${what} in: ${text.slice(0, 60)} … ${text.slice(Math.max(0, at - 200), at + 60)}`;
      }),
  );
  expect(found).toEqual([]);
}, 180_000);

test("options that are refused repeat no secret", () => {
  const refusals: [string, string[]][] = [
    ["tracing-query", ["--clickhouse.url", `ftp://me:${mark("a password in a wrong address")}@host`]],
    ["tracing-query", ["--clickhouse.url", `http://me:${mark("a password before no host")}@`]],
    ["tracing-query", ["--prometheus.server-url", `ftp://me:${mark("a password in a wrong URL")}@host`]],
    [
      "tracing-query",
      ["--query.metrics-push.otlp-url", `ftp://me:${mark("a password in a wrong address for OTLP")}@host`],
    ],
    ["tracing-query", ["--query.metrics-push.headers", `${mark("a header without a name")}`]],
    ["tracing-collector", ["--clickhouse.url", `ftp://me:${mark("a collector's wrong address")}@host`]],
    [
      "tracing-storage",
      [
        ...["--storage.http.password", mark("given twice")],
        ...["--storage.http.password-file", fileWith("twice", mark("the file of the same"))],
      ],
    ],
    [
      "tracing-collector",
      ["--clickhouse.password-file", fileWith("lines", `${mark("line one")}\n${mark("two")}`)],
    ],
    [
      "tracing-query",
      ["--prometheus.token-file", join(folder, "nowhere"), "--metrics-storage.type=prometheus"],
    ],
  ];
  const before = said.length;
  const away = ["--storage.cold.endpoint", "http://127.0.0.1:1/spans/", "--storage.cold.access-key-id", "me"];
  const keys = [
    ["--storage.cold.secret-access-key", mark("the key of a bucket")],
    ["--storage.cold.secret-access-key-file", fileWith("bucket", mark("the key of a bucket in a file"))],
  ];
  for (const key of keys) {
    expect(run("tracing-storage", ["print-config", ...away, ...key])).toBe(0);
    refusals.push(["tracing-storage", [...away, ...key, "--storage.data-dir", join(folder, "away")]]);
  }
  for (const [name, args] of refusals) {
    expect([name, args[0], run(name, args)]).toEqual([name, args[0], 1]);
  }
  for (const text of said.slice(before)) {
    expect([...marks].filter(([one]) => text.includes(one)).map(([, what]) => [what, text])).toEqual([]);
  }
});

test.each(Object.entries(tried))(
  "%s has no other option for a secret",
  (name, options) => {
    const { stdout } = spawnSync(process.execPath, [programOf(name), "--help"], { encoding: "utf8" });
    const found = [...stdout.matchAll(/^ {2}--(\S+)/gm)]
      .map(([, option = ""]) => option)
      .filter((option) => /password|token|secret|credential|url$|uri$/.test(option));
    expect(found.toSorted()).toEqual([...options].toSorted());
  },
  60_000,
);
