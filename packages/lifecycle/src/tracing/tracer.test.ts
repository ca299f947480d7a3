import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Registry } from "@prometheus-io/client";
import { afterEach, expect, test } from "vitest";
import { httpServerFor } from "../http-server.ts";
import { createLogger } from "../logger.ts";
import { activeSpan, startChild } from "../own-span.ts";
import { useTracer } from "./trace-requests.ts";
import { Tracer } from "./tracer.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const servers: Server[] = [];

afterEach(() => {
  useTracer(undefined);
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Collector {
  readonly base: string;
  readonly headers: IncomingHttpHeaders[];
  /** Names of spans, by request. */
  readonly names: string[][];
}

async function collector(status = 200): Promise<Collector> {
  const headers: IncomingHttpHeaders[] = [];
  const names: string[][] = [];
  const base = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      headers.push(request.headers);
      names.push(
        [
          ...Buffer.concat(chunks)
            .toString()
            .matchAll(/"kind":\d,/g),
        ].map(String),
      );
      response.writeHead(status).end();
    }),
  );
  return { base, headers, names };
}

function tracer(endpoint: string, metrics?: Registry): Tracer {
  const made = new Tracer({ name: "test", endpoint, environment: {}, log, metrics });
  useTracer(made);
  return made;
}

async function reported(metrics: Registry): Promise<Record<string, number>> {
  const { values = [] } = (await metrics.getSingleMetric("tracing_tracer_reporter_spans_total")?.get()) ?? {};
  return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]));
}

test("requests are spans when somebody describes them; requests with own spans are none", async () => {
  const { base, names, headers } = await collector();
  const metrics = new Registry();
  const own = tracer(base, metrics);
  const site = await listen(
    httpServerFor(undefined, {}, (request, response) => {
      if (request.url === "/told") {
        activeSpan()?.describe("told");
      }
      startChild("inner")?.end();
      response.end();
    }) as Server,
  );
  await fetch(`${site}/told`, { headers: { "x-tracing-own-spans": "1" } });
  await fetch(`${site}/told`, { headers: { traceparent: parent.replace(/1$/, "0") } });
  await fetch(`${site}/told`, { headers: { traceparent: parent } });
  await own.close();
  expect(names.flat()).toHaveLength(2);
  expect(headers[0]?.["x-tracing-own-spans"]).toBe("1");
  expect(headers[0]?.traceparent).toBeUndefined();
  expect(await reported(metrics)).toEqual({ ok: 2, err: 0, dropped: 0 });
});

test("a loop in which the marker gets lost goes round once a second, and does not grow", async () => {
  const rounds = new EventEmitter();
  const site = await listen(
    httpServerFor(undefined, {}, async (request, response) => {
      activeSpan()?.describe("round");
      const body = await text(request);
      response.end();
      rounds.emit("round", body.split('"kind":').length - 1);
    }) as Server,
  );
  const forgetful = await listen(
    createServer(async (request, response) => {
      await fetch(site, { method: "POST", body: await text(request) });
      response.end();
    }),
  );
  const own = tracer(forgetful);
  const counts: number[] = [];
  const enough = new Promise<void>((resolve) => {
    rounds.on("round", (count: number) => {
      counts.push(count);
      if (counts.length === 4) {
        resolve();
      }
    });
  });
  await fetch(site);
  await enough;
  useTracer(undefined);
  await own.close();
  expect(counts.slice(0, 4)).toEqual([0, 1, 1, 1]);
});

test("without a collector, spans are dropped and counted, and no more wait than may", async () => {
  const { base } = await collector(503);
  const metrics = new Registry();
  const own = tracer(base, metrics);
  for (let each = 0; each < 4_000; each++) {
    const span = own.startRequest({ traceparent: parent });
    span.describe("x");
    span.end();
  }
  await own.close();
  const { ok, err, dropped } = (await reported(metrics)) as { ok: number; err: number; dropped: number };
  expect(ok).toBe(0);
  expect(err + dropped).toBe(4_000);
  expect(dropped).toBeGreaterThan(1_000);
});

test("a request's ids are known also without a tracer", async () => {
  const seen: (string | undefined)[] = [];
  const site = await listen(
    httpServerFor(undefined, {}, (_request, response) => {
      seen.push(activeSpan()?.context.traceId);
      response.end();
    }) as Server,
  );
  await fetch(site, { headers: { traceparent: parent } });
  await fetch(site, { headers: { traceparent: "nonsense" } });
  await fetch(site);
  expect(seen).toEqual(["0af7651916cd43dd8448eb211c80319c", undefined, undefined]);
});

test("an endpoint that is none", () => {
  expect(() => tracer("nonsense")).toThrow(
    '--tracing.otlp.endpoint: "nonsense/v1/traces" is not an http or https URL',
  );
});

test("TLS for an address without it", () => {
  const tls = { material: { skipHostVerify: false }, onChange: () => {}, close: () => {} };
  const settings = { name: "test", endpoint: "http://localhost:4318", tls, environment: {} };
  expect(
    () => new Tracer({ ...settings, log: createLogger({ name: "test", level: "fatal", encoding: "json" }) }),
  ).toThrow("needs an https address");
});
