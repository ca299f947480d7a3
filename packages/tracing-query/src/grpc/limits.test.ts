// Each limit of the options over gRPC, with an error of its own that names it.
import {
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  status,
} from "@grpc/grpc-js";
import { createLogger, parseHostPort } from "lifecycle";
import type { ReadOptions, SpanReader } from "storage/api";
import { expect, onTestFinished, test } from "vitest";
import { queryServiceV3 } from "wire/api-v3";
import { queryService, rpcServiceName } from "wire/grpc";
import { RequestGate } from "../service/request-gate.ts";
import { otlpSpan, sampleStore, sampleTraceId, shortTraceId } from "../service/sample-store.ts";
import { type SampleStore, StuckReader, sampleService, sampleSettings } from "../testing/sample-service.ts";
import { openGrpcServer } from "./grpc-server.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

async function open(
  store: SampleStore,
  changes: Partial<ReturnType<typeof sampleSettings>>,
): Promise<number> {
  const server = await openGrpcServer({
    ...sampleSettings(),
    ...changes,
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService(store),
    log,
  });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return server.port!;
}

type Call = AsyncIterable<unknown> & { cancel(): void; on(event: "error", listener: () => void): void };

function clientOf(port: number, definition: ServiceDefinition) {
  const Generic = makeGenericClientConstructor(definition, rpcServiceName(definition));
  const client = new Generic(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  return (method: string, request: object, metadata = new Metadata()): Call =>
    (client[method] as (...all: unknown[]) => Call).call(client, request, metadata);
}

/** All messages of a stream. */
async function allOf(call: Call): Promise<unknown[]> {
  const messages = [];
  for await (const message of call) {
    messages.push(message);
  }
  return messages;
}

const time = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });
const noDurations = { durationMin: undefined, durationMax: undefined };
const now = Math.floor(Date.now() / 1_000);
const window = { startTimeMin: time(now - 3_600), startTimeMax: time(now + 60) };
const searchV2 = { serviceName: "", operationName: "", tags: {}, searchDepth: 2, ...window, ...noDurations };
const searchV3 = {
  serviceName: "",
  operationName: "",
  attributes: {},
  numTraces: 2,
  ...window,
  ...noDurations,
};
const tooMany = "a search for 3 traces is over the limit of 2 of --query.max-traces";
const tooLong = "a search from start to end is longer than the limit of 2 h of --query.max-time-range";
const spans = (count: number) =>
  `the answer holds ${count} spans, over the limit of 2 of --query.max-spans: ask for fewer traces`;

test.each([
  [queryService, "findTraces", { query: { ...searchV2, searchDepth: 3 } }, tooMany],
  [queryService, "findTraces", { query: { ...searchV2, startTimeMin: time(now - 7_200) } }, tooLong],
  [queryService, "findTraces", { query: { ...searchV2, startTimeMin: undefined } }, tooLong],
  [queryService, "findTraces", { query: searchV2 }, spans(4)],
  [queryService, "getTrace", { traceId: Buffer.from(sampleTraceId, "hex") }, spans(3)],
  [queryServiceV3, "findTraces", { query: { ...searchV3, numTraces: 3 } }, tooMany],
  [queryServiceV3, "findTraces", { query: { ...searchV3, startTimeMin: time(now - 7_200) } }, tooLong],
  [queryServiceV3, "findTraces", { query: searchV3 }, spans(4)],
  [queryServiceV3, "getTrace", { traceId: sampleTraceId }, spans(3)],
])("%# %s: a limit is named", async (definition, method, request, message) => {
  const store = await sampleStore([
    ...["b1", "b2", "b3"].map((id) => otlpSpan({ spanId: id.padStart(16, "0") })),
    otlpSpan({ traceId: shortTraceId }),
  ]);
  const limits = { maxTraces: 2, maxSpans: 2, maxRangeNano: 7_200_000_000_000n };
  const ask = clientOf(await open(store, { limits }), definition);
  await expect(allOf(ask(method, request))).rejects.toMatchObject({
    code: message.includes("holds") ? status.RESOURCE_EXHAUSTED : status.INVALID_ARGUMENT,
    details: expect.stringMatching(new RegExp(`: ${message}$`)),
  });
});

test("past the calls that may wait, clients are told so; who cancels makes room, also while it waits", async () => {
  const reader = new StuckReader();
  const gate = new RequestGate({ maxConcurrent: 1, maxWaiting: 1 });
  const ask = clientOf(await open(reader, { gate }), queryService);
  const stuck = () => {
    const call = ask("findTraces", { query: searchV2 });
    call.on("error", () => {});
    return call;
  };
  const first = stuck();
  await reader.asked.promise;
  const second = stuck();
  const busy = {
    code: status.RESOURCE_EXHAUSTED,
    details: expect.stringContaining("1 requests are under way and 1 wait: --query.max-concurrent-reads"),
  };
  await expect
    .poll(() => allOf(ask("findTraces", { query: searchV2 })).catch((error: unknown) => error))
    .toMatchObject(busy);
  first.cancel();
  second.cancel();
  await reader.aborted.promise;
  await expect.poll(() => gate.inside).toBe(0);
});

test.each([
  [true, "Bearer secret", "secret"],
  [true, "secret", "secret"],
  [true, "Basic secret", undefined],
  [false, "Bearer secret", undefined],
])("with propagation %s the store gets of %s the token %s", async (propagateToken, authorization, token) => {
  const seen: (ReadOptions | undefined)[] = [];
  const { reader } = await sampleStore([]);
  const watched = {
    findTraces: async (...[query, options]: Parameters<SpanReader["findTraces"]>) => {
      seen.push(options);
      return await reader.findTraces(query, options);
    },
  } as unknown as SpanReader;
  const ask = clientOf(await open(watched, { propagateToken }), queryService);
  const metadata = new Metadata();
  metadata.set("authorization", authorization);
  expect(await allOf(ask("findTraces", { query: searchV2 }, metadata))).toEqual([]);
  expect(seen.map((options) => options?.bearerToken)).toEqual([token]);
});
