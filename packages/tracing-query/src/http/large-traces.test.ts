import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import { createLogger, parseHostPort } from "lifecycle";
import type { PackedTrace, SpanReader } from "storage/api";
import { expect, onTestFinished, test } from "vitest";
import type { Span } from "wire/model";
import { decodeTraces } from "wire/testing/decode-traces";
import { openHttpServer } from "../server/http-server.ts";
import { otlpSpan, sampleTraceId } from "../service/sample-store.ts";
import { StuckReader, sampleService, sampleSettings } from "../testing/sample-service.ts";
import { storedTrace } from "../testing/stored-trace.ts";
import { UiPage } from "./ui-page.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const count = 3_000;
const asObjects = (spans: readonly Span[]): PackedTrace => ({ traceId: sampleTraceId, spans });

/** A store that says how many spans there are, and gives them when the test does. */
async function openLarge(maxSpans = 1_000_000, traceOf = asObjects) {
  const rows = Promise.withResolvers<PackedTrace[]>();
  const reader: SpanReader = Object.assign(new StuckReader(), {
    getPackedTraces: ((_ids, _options, onCount) => {
      onCount?.(count);
      return rows.promise;
    }) satisfies SpanReader["getPackedTraces"],
  });
  const settings = sampleSettings();
  const server = await openHttpServer({
    ...settings,
    limits: { ...settings.limits, maxSpans },
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService(reader),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath: "",
    log,
  });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const spans = Array.from({ length: count }, (_, index) =>
    otlpSpan({ spanId: (index + 1).toString(16).padStart(16, "0"), startTimeUnixNano: BigInt(index) }),
  );
  return {
    ask: async (
      headers: Record<string, string> = {},
      base = "/api/traces",
      query = "",
    ): Promise<IncomingMessage> => {
      const request = get({
        port: server.port,
        path: `${base}/${sampleTraceId}${query}`,
        headers,
        agent: false,
      });
      return ((await once(request, "response")) as [IncomingMessage])[0];
    },
    give: () => rows.resolve([traceOf(spans)]),
    fail: () => rows.reject(new Error("the store broke off")),
  };
}

test.each([{}, { "accept-encoding": "gzip" }])(
  "a large trace begins before its spans are there, %j",
  async (headers) => {
    const { ask, give } = await openLarge();
    const answer = await ask(headers);
    expect(answer.statusCode).toBe(200);
    const body = "accept-encoding" in headers ? answer.pipe(createGunzip()) : answer;
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let text = String((await chunks.next()).value);
    expect(text).toBe(`{"data":[{"traceID":"${sampleTraceId}","spans":[`);
    give();
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      text += String(next.value);
    }
    const { data } = JSON.parse(text) as { data: [{ spans: { spanID: string }[] }] };
    expect(data[0].spans.map(({ spanID }) => Number.parseInt(spanID, 16))).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
  },
);

test.each([
  ["", {}],
  ["", { "accept-encoding": "gzip" }],
  ["?prettyPrint=true", {}],
])("one whose spans are rows is the same, %s %j", async (query, headers: Record<string, string>) => {
  const bodies = [asObjects, storedTrace].map(async (traceOf) => {
    const { ask, give } = await openLarge(undefined, traceOf);
    give();
    const answer = await ask(headers, "/api/traces", query);
    const body = "accept-encoding" in headers ? answer.pipe(createGunzip()) : answer;
    return String(Buffer.concat(await body.toArray()));
  });
  const [objects, rows] = await Promise.all(bodies);
  expect(objects).toContain(`"${count.toString(16).padStart(16, "0")}"`);
  expect(rows).toBe(objects);
});

test.each([
  ["/tempo/api/traces", '{"batches":'],
  ["/tempo/api/v2/traces", '{"trace":{"resourceSpans":'],
])("so does Tempo's JSON, %s", async (base, begin) => {
  const { ask, give } = await openLarge();
  const chunks = (await ask({}, base))[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let text = String((await chunks.next()).value);
  expect(text).toBe(begin);
  give();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    text += String(next.value);
  }
  expect(JSON.stringify(JSON.parse(text)).split('"spanId"')).toHaveLength(count + 1);
});

test.each([{}, { "accept-encoding": "gzip" }])("and its protobuf, with the header, %j", async (headers) => {
  const { ask, give } = await openLarge();
  const answer = await ask({ accept: "application/protobuf", ...headers }, "/tempo/api/traces");
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "application/protobuf"]);
  give();
  const body = "accept-encoding" in headers ? answer.pipe(createGunzip()) : answer;
  expect(decodeTraces(Buffer.concat(await body.toArray()))).toHaveLength(count);
});

test("one whose spans do not come is cut off", async () => {
  const { ask, fail } = await openLarge();
  const answer = await ask();
  fail();
  await expect(answer.toArray()).rejects.toThrow();
});

test("one over the limit of spans is refused, with a status of its own", async () => {
  const { ask, give } = await openLarge(count - 1);
  give();
  const answer = await ask();
  expect(answer.statusCode).toBe(413);
  expect(String(Buffer.concat(await answer.toArray()))).toContain("--query.max-spans");
});
