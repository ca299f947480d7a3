import { once } from "node:events";
import { connect } from "node:net";
import { StorageError, type TraceStore } from "storage/api";
import { expect, onTestFinished, test } from "vitest";
import type { Span } from "wire/model";
import { SpanRowWriter } from "wire/rows";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";

const path = "/api/analysis/v1/tail";

type TailChanges = Partial<Parameters<typeof openSampleServer>[1]>;

async function openTail(store: TraceStore, changes: TailChanges = {}): Promise<SampleServer> {
  const server = await openSampleServer(store, { tailPollMs: 5, tailHeartbeatMs: 60_000, ...changes });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return server;
}

let blocks = 0;

async function write(store: TraceStore, ...spans: Span[]): Promise<void> {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span, "");
  }
  await store.writer.writeSpans(writer.take(), { deduplicationToken: `tail ${++blocks}` });
}

interface Event {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

/** Reads the stream as a browser does, without comments and bare ids. */
class Follower {
  readonly blocks: string[] = [];
  readonly #leave = new AbortController();
  #text = "";
  #reader: ReadableStreamDefaultReader<string> | undefined;

  async open(server: SampleServer, query = "", headers: Record<string, string> = {}): Promise<Response> {
    const { signal } = this.#leave;
    const response = await fetch(`${server.base}${path}?${query}`, { headers, signal });
    onTestFinished(() => this.#leave.abort());
    this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    return response;
  }

  leave(): void {
    this.#leave.abort();
  }

  /** The next block of lines, "" at the end. */
  async block(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return block;
      }
      const { value, done } = (await this.#reader?.read()) ?? { done: true };
      if (done || value === undefined) {
        return "";
      }
      this.#text += value;
    }
  }

  async event(): Promise<Event> {
    for (;;) {
      const block = await this.block();
      if (block === "") {
        throw new Error("the stream ended");
      }
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      if (data !== undefined) {
        return { event: field("event") ?? "", id: field("id"), data: JSON.parse(data) };
      }
    }
  }

  /** Names of the spans of events until there are so many. */
  async names(count: number): Promise<string[]> {
    const names: string[] = [];
    while (names.length < count) {
      const { event, data } = await this.event();
      expect(event).toBe("spans");
      for (const { operation } of data.spans as { operation: string }[]) {
        names.push(operation);
      }
    }
    return names;
  }
}

test("spans as they arrive, of those that match", async () => {
  const store = await sampleStore([otlpSpan({ name: "before" })]);
  const server = await openTail(store);
  const follower = new Follower();
  const response = await follower.open(server, "service=shop&kind=server");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
  const attributes = [{ key: "a", value: { type: "int", value: 1n } }] as const;
  const startTimeUnixNano = 1_784_721_600_000_001_000n;
  await write(
    store,
    otlpSpan({ name: "new\nline", attributes, startTimeUnixNano }),
    otlpSpan({ service: "other" }),
    otlpSpan({ kind: "client" }),
  );
  const { event, id, data } = await follower.event();
  expect([event, typeof id]).toEqual(["spans", "string"]);
  expect(data).toEqual({
    spans: [
      {
        ...{ traceID: "71a81d73ce7902db83be4d12250bd874", spanID: "d8b7eb2154448f9d", parentSpanID: "" },
        ...{ service: "shop", operation: "new\nline", kind: "server", start: 1_784_721_600_000_001 },
        ...{ duration: 1_500, error: false },
        tags: expect.arrayContaining([{ key: "a", type: "int64", value: 1 }]),
      },
    ],
  });
});

test("who comes back gets what has arrived meanwhile, once", async () => {
  const store = await sampleStore([]);
  const server = await openTail(store);
  const [first, other] = [new Follower(), new Follower()];
  await first.open(server);
  await other.open(server);
  await write(store, otlpSpan({ name: "one" }));
  const { id = "" } = await first.event();
  first.leave();
  await write(store, otlpSpan({ name: "two" }));
  expect(await other.names(2)).toEqual(["one", "two"]);
  const again = new Follower();
  await again.open(server, "", { "last-event-id": id });
  await write(store, otlpSpan({ name: "three" }));
  expect(await again.names(2)).toEqual(["two", "three"]);
  expect(await other.names(1)).toEqual(["three"]);
});

test.each([
  ["no cursor of this store", "' OR 1"],
  ["too long", "1".repeat(101)],
])("an id that is %s is refused", async (_, id) => {
  const server = await openTail(await sampleStore([]));
  const response = await fetch(server.base + path, { headers: { "last-event-id": id } });
  expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
});

/** A store whose tail is another's. */
function withTail(store: TraceStore, tail: TraceStore["analysis"]["tail"]): TraceStore {
  const { analysis } = store;
  const bound = new Proxy(analysis, {
    get: (target, name) =>
      name === "tail" ? tail : (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind(target),
  });
  return { ...store, analysis: bound };
}

test("one question to the store serves all who ask the same", async () => {
  const store = await sampleStore([]);
  const asked: string[] = [];
  const counted = withTail(store, (query, options) => {
    asked.push(JSON.stringify([query.service, query.cursor]));
    return store.analysis.tail(query, options);
  });
  const server = await openTail(counted);
  const followers = [new Follower(), new Follower(), new Follower()];
  await followers[0]?.open(server, "service=shop&tag=a:1&tag=b:2");
  await followers[1]?.open(server, "tag=b:2&tag=a:1&service=shop");
  await followers[2]?.open(server, "service=other");
  const attributes = ["1", "2"].map((value, index) => ({
    key: "ab".charAt(index),
    value: { type: "string", value } as const,
  }));
  await write(store, otlpSpan({ name: "both", attributes }));
  expect(await followers[0]?.names(1)).toEqual(["both"]);
  expect(await followers[1]?.names(1)).toEqual(["both"]);
  expect(asked.filter((one) => one === '["shop",null]')).toHaveLength(1);
  expect(asked.filter((one) => one === '["shop","0"]')).not.toHaveLength(0);
  expect(asked.filter((one) => one === '["other",null]')).toHaveLength(1);
});

test("spans that a query and the other conditions take", async () => {
  const store = await sampleStore([]);
  const server = await openTail(store);
  const follower = new Follower();
  await follower.open(server, `service=shop&q=${encodeURIComponent('{ name = "a" } || { .paid = true }')}`);
  const attributes = [{ key: "paid", value: { type: "bool", value: true } }] as const;
  await write(store, ...["a", "b"].map((name) => otlpSpan({ name })), otlpSpan({ name: "c", attributes }));
  expect(await follower.names(2)).toEqual(["a", "c"]);
});

test("more spans than the limit: the newest, and how many were left out", async () => {
  const store = await sampleStore([]);
  const server = await openTail(store);
  const follower = new Follower();
  await follower.open(server, "limit=2");
  await write(store, ...["a", "b", "c", "d"].map((name) => otlpSpan({ name })));
  expect(await follower.event()).toMatchObject({ event: "skipped", data: { spans: 2, reason: "too many" } });
  expect(await follower.names(2)).toEqual(["c", "d"]);
});

test("a slow client misses spans and is told; others miss none", async () => {
  const store = await sampleStore([]);
  const server = await openTail(store);
  const fast = new Follower();
  await fast.open(server);
  const { hostname, port } = new URL(server.base);
  const slow = connect(Number(port), hostname);
  slow.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(slow, "data");
  slow.pause();
  const padding = { key: "padding", value: { type: "string", value: "x".repeat(1_000_000) } } as const;
  // More than what the system's buffers take for a connection.
  for (let index = 0; index < 40; index++) {
    await write(store, otlpSpan({ name: `${index}`, attributes: [padding] }));
    expect(await fast.names(1)).toEqual([`${index}`]);
  }
  let text = "";
  let hasAll = false;
  slow.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("latin1")).slice(-3_000_000);
    hasAll ||= text.includes("event: skipped");
  });
  slow.resume();
  const told = expect.poll(
    async () => {
      await write(store, otlpSpan({ name: "after" }));
      return hasAll;
    },
    { timeout: 60_000, interval: 20 },
  );
  await told.toBe(true);
  const [, spans] = /event: skipped\ndata: \{"spans":(\d+),"reason":"slow client"\}/.exec(text) ?? [];
  expect(Number(spans)).toBeGreaterThan(0);
  slow.destroy();
});

test("so many clients and no more; who leaves makes room, and ends the work in the store", async () => {
  const store = await sampleStore([]);
  const asked = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const stuck = withTail(store, async (query, options) => {
    if (query.cursor === undefined) {
      return await store.analysis.tail(query);
    }
    asked.resolve();
    return await new Promise((_resolve, reject) => {
      options?.signal?.addEventListener("abort", () => {
        aborted.resolve();
        reject(options.signal?.reason);
      });
    });
  });
  const server = await openTail(stuck, { maxTailClients: 1 });
  const follower = new Follower();
  await follower.open(server);
  const refused = await fetch(server.base + path);
  expect([refused.status, await refused.json()]).toEqual([
    503,
    expect.objectContaining({ code: "QUERY_BUSY", limit: { name: "query.max-tail-clients", value: 1 } }),
  ]);
  await asked.promise;
  follower.leave();
  await aborted.promise;
  const next = new Follower();
  await expect.poll(async () => (await next.open(server)).status).toBe(200);
});

test("a store that fails is a problem for now; nothing is lost", async () => {
  const store = await sampleStore([]);
  let isAway = false;
  const server = await openTail(
    withTail(store, async (query, options) => {
      if (isAway) {
        throw new StorageError("STORAGE_UNAVAILABLE", "nobody answers");
      }
      return await store.analysis.tail(query, options);
    }),
  );
  const follower = new Follower();
  await follower.open(server);
  isAway = true;
  await write(store, otlpSpan({ name: "meanwhile" }));
  expect(await follower.event()).toMatchObject({
    event: "problem",
    data: { status: 503, detail: "nobody answers", code: "STORAGE_UNAVAILABLE" },
  });
  isAway = false;
  let next = await follower.event();
  while (next.event === "problem") {
    next = await follower.event();
  }
  expect(next.data).toMatchObject({ spans: [{ operation: "meanwhile" }] });
});

test("heartbeats move the id on", async () => {
  const store = await sampleStore([otlpSpan()]);
  const server = await openTail(store, { tailHeartbeatMs: 5 });
  const follower = new Follower();
  await follower.open(server);
  expect(await follower.block()).toBe(": following\nretry: 2000");
  expect(await follower.block()).toBe(": heartbeat\nid: 1");
});

test("a server that stops ends its streams", async () => {
  const server = await openSampleServer(await sampleStore([]), { tailPollMs: 5 });
  const follower = new Follower();
  await follower.open(server);
  const stopped = server.stop(new AbortController().signal);
  expect(await follower.block()).not.toBe("");
  expect(await follower.block()).toBe("");
  await stopped;
});
