// Every listener and every client of the tracing processes over TLS, with certificates on both sides, and with new
// certificates while they run. docs/security.md has the same rows.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect as connectPlain, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { createTestAuthority, testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { tenantSpans } from "./tenant-spans.ts";
import {
  askOverTls,
  localNames,
  openTlsProcesses,
  type TlsAsker,
  type TlsListener,
  type TlsProcesses,
} from "./tls-processes.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const programs = ["tracing-storage", "tracing-collector", "tracing-query", "tracing-agent"];
/** Clients, by the prefix of their options; each has a test below. */
const clients = [
  "clickhouse",
  "grpc-storage",
  "prometheus",
  "reporter.grpc",
  "sampling.strategies",
  "tracing.otlp",
];
const withinMs = 60_000;
const strategiesPath = "/strategies.json";
const prometheusPath = "/api/v1/query_range";
const ownSpansPath = "/v1/traces";
const outsideAnswers: Readonly<Record<string, string>> = {
  [strategiesPath]: '{"default_strategy":{"type":"probabilistic","param":0.25}}',
  [prometheusPath]: '{"status":"success","data":{"resultType":"matrix","result":[]}}',
};
/** The first byte of a record with an alert. */
const tlsAlert = 21;

const authority = createTestAuthority("first authority");
const stranger = createTestAuthority("stranger");

let backend: TlsProcesses;
let outside: Server;
/** Paths of the outside server that were requested with a certificate of the authority. */
const askedWell = new Set<string>();

beforeAll(async () => {
  const pair = authority.issue(...localNames);
  outside = createServer(
    { ...pair, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { pathname } = new URL(String(request.url), "https://outside");
      if ((request.socket as TLSSocket).authorized) {
        askedWell.add(pathname);
      } else {
        askedWell.delete(pathname);
      }
      response.setHeader("Content-Type", "application/json");
      response.end(outsideAnswers[pathname] ?? "{}");
    },
  ).listen(0, "127.0.0.1");
  await once(outside, "listening");
  const base = `https://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  backend = await openTlsProcesses(authority, base);
}, 180_000);

afterAll(async () => {
  await backend?.close();
  outside?.closeAllConnections();
  outside?.close();
});

const hello = {
  http: "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
  // The preface of HTTP/2 and an empty frame of settings.
  h2: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
};

/** True when the other side sends anything that does not belong to TLS. */
function isHeard(socket: Socket, protocol: TlsListener["protocol"]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on("data", () => resolve(true));
  socket.on("error", () => resolve(false));
  socket.on("close", () => resolve(false));
  socket.write(hello[protocol], "latin1");
  return promise.finally(() => socket.destroy());
}

function isServed({ address, protocol }: TlsListener, asker: TlsAsker): Promise<boolean> {
  const [host, port] = address.split(":");
  const ALPNProtocols = [protocol === "h2" ? "h2" : "http/1.1"];
  return isHeard(connectTls({ host: String(host), port: Number(port), ...asker, ALPNProtocols }), protocol);
}

/** A listener's answer to plain text; a TLS alert begins with the byte 21. */
async function answerInPlainText({ address, protocol }: TlsListener): Promise<Buffer> {
  const [host, port] = address.split(":");
  const socket = connectPlain({ host: String(host), port: Number(port) });
  const { promise, resolve } = Promise.withResolvers<void>();
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  socket.on("error", () => {});
  socket.on("close", () => resolve());
  socket.write(hello[protocol], "latin1");
  await promise;
  return Buffer.concat(pieces);
}

/** Prefixes of a program's options with this ending. */
function prefixesOf(program: string, ending: string): string[] {
  const path = testedProgram(join(root, "packages", program, "bin", `${program}.ts`));
  const { stdout } = spawnSync(process.execPath, [path, "--help"], { encoding: "utf8" });
  return [...stdout.matchAll(/^ {2}--(\S+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length));
}

test("no listener and no client with TLS is left out, nor out of the documentation", () => {
  const text = readFileSync(join(root, "docs/security.md"), "utf8");
  const found = new Set<string>();
  for (const program of programs) {
    const options = prefixesOf(program, ".tls.client-ca");
    expect(options.length, program).toBeGreaterThan(0);
    const tried = backend.listeners.filter(({ process }) => process === program).map(({ option }) => option);
    expect(tried.toSorted(), program).toEqual(options.toSorted());
    for (const client of prefixesOf(program, ".tls.ca")) {
      found.add(client);
    }
    for (const option of [...options, ...found]) {
      expect(text).toContain(`\`--${option}.tls.…\``);
    }
  }
  expect([...found].toSorted()).toEqual(clients.toSorted());
});

test("each listener serves who shows a certificate, and nobody else", async () => {
  const { cert, key } = stranger.issue(...localNames);
  for (const listener of backend.listeners) {
    const { ca } = backend.asker();
    const name = `${listener.process} ${listener.option}`;
    expect([name, await isServed(listener, backend.asker())]).toEqual([name, true]);
    expect([name, await isServed(listener, { ca })]).toEqual([name, false]);
    expect([name, await isServed(listener, { ca, cert, key })]).toEqual([name, false]);
    expect([name, await isServed(listener, { ...backend.asker(), ca: stranger.cert })]).toEqual([
      name,
      false,
    ]);
  }
});

test("each listener answers nothing in plain text", async () => {
  for (const listener of backend.listeners) {
    const name = `${listener.process} ${listener.option}`;
    const [first] = await answerInPlainText(listener);
    expect([name, first ?? tlsAlert]).toEqual([name, tlsAlert]);
  }
});

/** Sends spans to a collector, and searches for them through a query service. */
async function sendAndFind(otlpHttp: string, queryHttp: string): Promise<void> {
  const { otlpJson, ownTraceId, marker } = tenantSpans("", randomBytes(16).toString("hex"));
  const status = await eventually(() => post(`https://${otlpHttp}/v1/traces`, otlpJson), withinMs);
  expect(status).toBe(200);
  await eventually(async () => {
    const { text } = await askOverTls(`https://${queryHttp}/api/traces/${ownTraceId}`, backend.asker());
    if (!text.includes(marker)) {
      throw new Error(text.slice(0, 500));
    }
  }, withinMs);
}

async function post(url: string, body: object): Promise<number> {
  return (await askOverTls(url, backend.asker(), JSON.stringify(body))).status;
}

async function agentIsConnected(): Promise<void> {
  await eventually(async () => {
    const { text } = await askOverTls(`https://${backend.address.agentAdmin}/metrics`, backend.asker());
    expect(text).toMatch(/^tracing_agent_connection_status_collector_connected\S* 1$/m);
  }, withinMs);
}

/**
 * Requests rates from the query service, which creates a span, and waits until Prometheus and the collector were
 * called.
 */
async function rateIsAsked(outsidePath: string): Promise<void> {
  askedWell.delete(outsidePath);
  const path = "/api/metrics/calls?service=shop&groupByOperation=false";
  await eventually(async () => {
    const { status, text } = await askOverTls(`https://${backend.address.queryHttp}${path}`, backend.asker());
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(askedWell).toContain(outsidePath);
  }, withinMs);
}

async function strategiesAreRead(): Promise<void> {
  askedWell.delete(strategiesPath);
  await eventually(async () => expect(askedWell).toContain(strategiesPath), withinMs);
}

const clientRows: [string, () => Promise<void>][] = [
  [
    "clickhouse: a collector and a query service ask the storage",
    () => sendAndFind(backend.address.otlpHttp, backend.address.queryHttp),
  ],
  [
    "grpc-storage: a collector and a query service ask a bridge, and that the storage",
    () => sendAndFind(backend.address.otherOtlpHttp, backend.address.otherQueryHttp),
  ],
  ["reporter.grpc: an agent calls a collector", agentIsConnected],
  ["prometheus: a query service asks for rates", () => rateIsAsked(prometheusPath)],
  ["tracing.otlp: a query service sends spans of its own", () => rateIsAsked(ownSpansPath)],
  ["sampling.strategies: a collector reads them again", strategiesAreRead],
];

describe("clients show a certificate and check that of the server", () => {
  test.each(clientRows)("%s", (_, works) => works(), 120_000);
});

test("new certificates of another authority are in force on both sides without a restart", async () => {
  const old = backend.asker();
  const next = createTestAuthority("second authority");
  backend.swap(next);
  outside.setSecureContext({ ...next.issue(...localNames), ca: next.cert });
  outside.closeAllConnections();
  for (const listener of backend.listeners) {
    await eventually(async () => {
      const name = `${listener.process} ${listener.option}`;
      expect([name, await isServed(listener, backend.asker())]).toEqual([name, true]);
      expect([name, await isServed(listener, old)]).toEqual([name, false]);
    }, withinMs);
  }
  // Running clients get new connections, because the processes that they call are restarted.
  const pids = backend.processes.map(({ pid }) => pid);
  for (const process of backend.called) {
    await process.end("SIGTERM");
    await process.start();
  }
  for (const [name, works] of clientRows) {
    await works().catch((error: unknown) => {
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
    });
  }
  const restarted = backend.processes.filter(({ pid }, index) => pid !== pids[index]);
  expect(restarted).toEqual(backend.called);
}, 300_000);
