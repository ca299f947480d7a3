// No request makes a process connect to an address in the request (server-side request forgery). Every request names
// the address of a test listener in all possible places, and this listener must receive nothing.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../src/expect.ts";
import { tenantSpans } from "./tenant-spans.ts";
import { openTracing, type TracingProcesses } from "./tracing-processes.ts";

const document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]) }),
    ),
  ),
});

let tracing: TracingProcesses;
let trap: Server;
let heard = 0;
let url: string;

beforeAll(async () => {
  trap = createServer((socket) => {
    heard++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(trap, "listening");
  url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/latest/meta-data`;
  tracing = await openTracing();
});

afterAll(async () => {
  await tracing?.close();
  trap?.close();
});

/** Headers in which proxies and clients name other hosts. */
const naming = (): Record<string, string> => {
  const { host } = new URL(url);
  return {
    ...{ Host: host, "X-Forwarded-Host": host, "X-Original-URL": url, "X-Rewrite-URL": url, Referer: url },
    ...{ Forwarded: `host=${host};for=${host}`, "X-Forwarded-For": host, Origin: new URL(url).origin },
    ...{ Destination: url, "X-Callback-Url": url, traceparent: url },
  };
};

/** Sends one request with an unchanged path. @returns its status; 0 when the connection was closed */
function send(address: string, method: string, path: string, body = "", headers = naming()): Promise<number> {
  const [host, port] = address.split(":");
  const { promise, resolve } = Promise.withResolvers<number>();
  const request = httpRequest({ host, port, method, path, headers, agent: false }, (response) => {
    response.on("error", () => {}).destroy();
    resolve(response.statusCode ?? 0);
  });
  request.on("error", () => resolve(0)).end(body);
  return promise;
}

test("the trap hears who calls it", async () => {
  const [host, port] = new URL(url).host.split(":");
  connect({ host: String(host), port: Number(port) }).on("error", () => {});
  await eventually(async () => expect(heard).toBe(1), 10_000);
});

test("nothing that a request names is called", async () => {
  const before = heard;
  const { paths } = document.parse(
    await (await fetch(`http://${tracing.queryHttp}/api/openapi.json`)).json(),
  );
  let asked = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters }] of Object.entries(methods)) {
      const search = new URLSearchParams(
        parameters.filter(({ in: place }) => place === "query").map(({ name }) => [name, url]),
      );
      for (const more of ["url", "callback", "redirect", "target"]) {
        search.append(more, url);
      }
      const filled = path.replace(/\{[^}]+\}/g, encodeURIComponent(url));
      await send(tracing.queryHttp, method.toUpperCase(), `${filled}?${search}`, JSON.stringify({ url }));
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(35);
  const listeners = [
    tracing.queryHttp,
    tracing.otlpHttp,
    tracing.thriftHttp,
    tracing.zipkin,
    tracing.storageHttp,
  ];
  for (const address of [...listeners, ...Object.values(tracing.admin)]) {
    // The request has the form for a proxy.
    await send(address, "GET", url);
    await send(address, "POST", `/?url=${encodeURIComponent(url)}`, JSON.stringify({ url }));
  }
  await send(tracing.thriftHttp, "GET", `/api/sampling?service=${encodeURIComponent(url)}`);
  for (const sql of [
    `SELECT * FROM url('${url}', 'LineAsString')`,
    `SELECT * FROM remote('${new URL(url).host}', system.one)`,
    `SELECT * FROM s3('${url}', 'CSV', 'a String')`,
    `SELECT * FROM iceberg('${url}')`,
    `SELECT * FROM mysql('${new URL(url).host}', 'a', 'b', 'c', 'd')`,
    `CREATE TABLE more ENGINE = URL('${url}', 'CSV')`,
    `CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(HTTP(url '${url}' format 'CSV')) LAYOUT(FLAT()) LIFETIME(0)`,
    `BACKUP DATABASE tracing TO S3('${url}', 'a', 'b')`,
  ]) {
    expect([sql, await send(tracing.storageHttp, "POST", "/", sql, {})]).not.toEqual([sql, 200]);
  }
  const { otlpJson, ownTraceId, marker } = tenantSpans("", randomBytes(16).toString("hex"));
  const spans = JSON.stringify(otlpJson).replaceAll(marker, url);
  const json = { "Content-Type": "application/json" };
  expect(await send(tracing.otlpHttp, "POST", "/v1/traces", spans, json)).toBe(200);
  await eventually(async () => {
    expect(await send(tracing.queryHttp, "GET", `/api/traces/${ownTraceId}`, "", {})).toBe(200);
  }, 30_000);
  expect(heard).toBe(before);
});
