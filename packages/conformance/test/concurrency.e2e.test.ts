// Many concurrent operations on real processes: none of them may cut, delay or change the results of another.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import { eventually } from "../src/expect.ts";
import { type Answer, ask, askTraces } from "../src/tracing-api/ask.ts";
import { jsonHeaders, jsonRequest, jsonSpan } from "./bad-input/otlp-spans.ts";

let backend: AllProcesses;

beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

function admin(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(backend.addresses.admin + path, {
    method,
    headers: { "Content-Type": "application/json", Origin: backend.addresses.admin, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

async function send(service: string, ...spans: ReturnType<typeof jsonSpan>[]): Promise<void> {
  const body = jsonRequest(service, ...spans);
  const answer = await ask(`${backend.addresses.otlpHttp}/v1/traces`, {
    method: "POST",
    headers: jsonHeaders,
    body,
  });
  expect(answer).toMatchObject({ status: 200, text: '{"partialSuccess":{}}' });
}

async function idsOf(service: string): Promise<string[]> {
  const traces = await askTraces(`${backend.addresses.query}/api/traces?service=${service}&limit=10000`);
  return traces.map(({ traceID }) => traceID.padStart(32, "0")).sort();
}

/** An upstream whose answers to `/held` wait until they are released. */
async function holdingUpstream() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/held")) {
      held.push(response);
    } else {
      response.end("at once");
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    dial: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe("config changes", () => {
  test("50 of them under 200 requests in flight: none is refused or cut, each takes effect at once", async () => {
    const upstream = await holdingUpstream();
    const logged = backend.adminServer.log.length;
    const server = {
      listen: ["127.0.0.1:0"],
      routes: [
        {
          handle: [
            { handler: "headers", response: { set: { "X-Round": ["0"] } } },
            { handler: "reverse_proxy", upstreams: [{ dial: upstream.dial }] },
          ],
        },
      ],
    };
    expect(await admin("PUT", "/config/apps/http/servers/rounds", server)).toMatchObject({ status: 200 });
    onTestFinished(async () => {
      await admin("DELETE", "/config/apps/http/servers/rounds");
      upstream.close();
    });
    const door = await eventually(async () => {
      const [, address] =
        /serving HTTP on (127\.0\.0\.1:\d+)/.exec(backend.adminServer.log.slice(logged)) ?? [];
      if (address === undefined) {
        throw new Error("not yet serving");
      }
      return `http://${address}`;
    }, 30_000);

    const inFlight = Array.from({ length: 200 }, (_, index) => ask(`${door}/held/${index}`));
    await eventually(async () => expect(upstream.held.length).toBe(200), 10_000);

    let isChanging = true;
    const passing = Array.from({ length: 4 }, async () => {
      const answers: Answer[] = [];
      while (isChanging) {
        answers.push(await ask(`${door}/passing`));
      }
      return answers;
    });
    for (let round = 1; round <= 50; round++) {
      const path = "/config/apps/http/servers/rounds/routes/0/handle/0/response/set/X-Round/0";
      expect(await admin("PATCH", path, String(round))).toMatchObject({ status: 200 });
      expect((await fetch(`${door}/passing`)).headers.get("x-round")).toBe(String(round));
    }
    isChanging = false;

    const body = "x".repeat(100_000);
    for (const response of upstream.held) {
      response.end(body);
    }
    for (const answer of await Promise.all(inFlight)) {
      expect([answer.status, answer.text.length]).toEqual([200, body.length]);
    }
    const passed = (await Promise.all(passing)).flat();
    expect(passed.length).toBeGreaterThan(0);
    expect(passed.filter(({ status, text }) => status !== 200 || text !== "at once")).toEqual([]);
  });

  test("of writers with the same If-Match exactly one wins", async () => {
    const path = "/config/apps/http/servers/race";
    const config = (name: string) => ({ routes: [{ group: name }] });
    expect(await admin("PUT", path, config("none"))).toMatchObject({ status: 200 });
    onTestFinished(async () => void (await admin("DELETE", path)));
    for (let round = 0; round < 20; round++) {
      const response = await fetch(backend.addresses.admin + path, {
        headers: { Origin: backend.addresses.admin },
      });
      await response.text();
      const etag = response.headers.get("etag") ?? "";
      const names = Array.from({ length: 8 }, (_, writer) => `round ${round} writer ${writer}`);
      const answers = await Promise.all(
        names.map((name) => admin("PATCH", path, config(name), { "If-Match": etag })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
      const winner = names[answers.findIndex(({ status }) => status === 200)];
      expect((await admin("GET", `${path}/routes/0/group`)).text).toBe(`${JSON.stringify(winner)}\n`);
    }
  });

  test("eight writers append at once, and nothing of any is lost", async () => {
    const path = "/config/apps/http/servers/appended";
    expect(await admin("PUT", path, { routes: [] })).toMatchObject({ status: 200 });
    onTestFinished(async () => void (await admin("DELETE", path)));
    const groups = Array.from({ length: 80 }, (_, index) => `group ${index}`);
    const answers = await Promise.all(groups.map((group) => admin("POST", `${path}/routes`, { group })));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const routes = JSON.parse((await admin("GET", `${path}/routes`)).text) as { group: string }[];
    expect(routes.map(({ group }) => group).sort()).toEqual([...groups].sort());
  });
});

describe("searches", () => {
  test("20 at a time while spans come in: each finds its own, and nothing that came in is missing", async () => {
    const services = Array.from({ length: 20 }, (_, index) => `parallel-${index}`);
    const traceIds: string[] = [];
    for (const service of services) {
      const span = jsonSpan();
      await send(service, span, jsonSpan({ traceId: span.traceId }));
      traceIds.push(span.traceId);
    }
    for (const [index, service] of services.entries()) {
      await eventually(async () => expect(await idsOf(service)).toEqual([traceIds[index]]), 5_000);
    }

    const sent: string[] = [];
    let isSearching = true;
    const ingesting = Array.from({ length: 4 }, async () => {
      while (isSearching) {
        const spans = Array.from({ length: 20 }, () => jsonSpan());
        await send("parallel-load", ...spans);
        sent.push(...spans.map(({ traceId }) => traceId));
      }
    });
    for (let round = 0; round < 5; round++) {
      const found = await Promise.all(services.map((service) => idsOf(service)));
      expect(found).toEqual(traceIds.map((traceId) => [traceId]));
    }
    isSearching = false;
    await Promise.all(ingesting);
    expect(sent.length).toBeGreaterThan(0);
    const count = async () => {
      const sql = "SELECT uniqExact(trace_id), count() FROM tracing.spans WHERE service = 'parallel-load'";
      return (await ask(`${backend.storageUrl}/`, { method: "POST", body: sql })).text;
    };
    await eventually(async () => expect(await count()).toBe(`${sent.length}\t${sent.length}\n`), 10_000);
  });

  test("slow queries of others hold up neither searches nor what comes in", async () => {
    const slow = new AbortController();
    // More queries than libuv's default of four threads; each runs for a minute unless it is cancelled.
    const sql =
      "SELECT sleepEachRow(1) FROM numbers(60) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0";
    let ended = 0;
    const running = Array.from({ length: 8 }, () =>
      ask(`${backend.storageUrl}/`, { method: "POST", body: sql, signal: slow.signal }).then(
        () => ended++,
        () => ended++,
      ),
    );
    const processes =
      "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'";
    await eventually(async () => {
      const { text } = await ask(`${backend.storageUrl}/`, { method: "POST", body: processes });
      expect(text).toBe("8\n");
    }, 30_000);

    const span = jsonSpan();
    await send("beside-slow-queries", span);
    await eventually(async () => expect(await idsOf("beside-slow-queries")).toEqual([span.traceId]), 5_000);
    expect(ended, "slow queries that have ended").toBe(0);

    slow.abort();
    await Promise.all(running);
    await eventually(async () => {
      const { text } = await ask(`${backend.storageUrl}/`, { method: "POST", body: processes });
      expect(text, "a query whose client left is cancelled").toBe("0\n");
    }, 30_000);
  });
});
