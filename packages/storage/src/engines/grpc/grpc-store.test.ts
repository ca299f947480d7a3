import { once } from "node:events";
import { createServer } from "node:net";
import { type Metadata, status } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ApiV2Span, toApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";
import type { TraceStore } from "../../api/trace-store.ts";
import {
  expectStorageError,
  newToken,
  rowsOf,
  rowsOfTenant,
  write,
} from "../../contract/contract-context.ts";
import { newServiceName, newTraceId, noonUnixNano, sampleSpan } from "../../contract/sample-spans.ts";
import {
  type FakeHandlers,
  serviceError,
  startFakeRemoteStorage,
} from "../../testing/fake-remote-storage.ts";
import { openGrpcStore } from "./grpc-store.ts";
import type { GrpcStoreOptions } from "./grpc-store-options.ts";

async function openWith(
  handlers: FakeHandlers,
  options: Partial<GrpcStoreOptions> = {},
): Promise<TraceStore & { address: string }> {
  const fake = await startFakeRemoteStorage(handlers);
  const store = openGrpcStore({ server: fake.address, ...options });
  onTestFinished(async () => {
    await store.close();
    fake.close();
  });
  return { ...store, address: fake.address };
}

const capabilities = (streamingSpanWriter: boolean): FakeHandlers => ({
  capabilities: (_, answer) =>
    answer(null, { archiveSpanReader: false, archiveSpanWriter: false, streamingSpanWriter }),
});

/** Sends each span in a separate chunk. */
function sendSpans(
  call: { write(chunk: { spans: ApiV2Span[] }): unknown; end(): void },
  spans: readonly Span[],
): void {
  for (const span of spans) {
    call.write({ spans: [toApiV2Span(span)] });
  }
  call.end();
}

describe("openGrpcStore", () => {
  test.each(["", "localhost", "http://localhost:17271", "a b:1"])("refuses the address %j", (server) => {
    expect(() => openGrpcStore({ server })).toThrow(
      expect.objectContaining({ code: "STORAGE_REFUSED", message: expect.stringContaining("host:port") }),
    );
  });

  test("says that sampling, metrics and analysis are not in the API", async () => {
    const { sampling } = await openWith({});
    await expectStorageError(sampling.latestProbabilities(), "STORAGE_UNSUPPORTED");
  });
});

describe("reads from a remote storage", () => {
  test("give services and operations in order, each once, with kinds as far as they are known", async () => {
    const { reader } = await openWith({
      getServices: (_, answer) => answer(null, { services: ["b", "a", "b"] }),
      getOperations: ({ request }, answer) =>
        answer(null, {
          operationNames: ["ignored"],
          operations: [
            { name: "y", spanKind: request.spanKind === "" ? "client" : "server" },
            { name: "y", spanKind: "client" },
            { name: "x", spanKind: "" },
            { name: "x", spanKind: "strange" },
          ],
        }),
    });
    expect(await reader.getServices()).toEqual(["a", "b"]);
    expect(await reader.getOperations({ service: "a" })).toEqual([
      { name: "x", spanKind: "unspecified" },
      { name: "y", spanKind: "client" },
    ]);
    // Spans that the server should have left out are removed. If the server has no kinds, the requested kind is
    // assumed.
    expect(await reader.getOperations({ service: "a", spanKind: "client" })).toEqual([
      { name: "x", spanKind: "client" },
      { name: "y", spanKind: "client" },
    ]);
  });

  test("take the names alone from an old server", async () => {
    const { reader } = await openWith({
      getOperations: (_, answer) => answer(null, { operationNames: ["b", "a"], operations: [] }),
    });
    expect(await reader.getOperations({ service: "s" })).toEqual([
      { name: "a", spanKind: "unspecified" },
      { name: "b", spanKind: "unspecified" },
    ]);
  });

  test("put traces in order, newest matching span first, and keep to the limit", async () => {
    const service = newServiceName();
    const [old, young, huge] = [newTraceId(), newTraceId(), newTraceId()];
    const span = (traceId: string, name: string, second: bigint) =>
      sampleSpan({ traceId, service, name, startTimeUnixNano: noonUnixNano + second * 1_000_000_000n });
    const sent = [
      ...[span(old, "wanted", 1n), span(old, "other", 99n)],
      ...[span(huge, "wanted", 9n), span(huge, "wanted", 8n)],
      span(young, "wanted", 5n),
    ];
    const { reader } = await openWith({ findTraces: (call) => sendSpans(call, sent) });
    const traces = await reader.findTraces({ service, operation: "wanted", limit: 2 });
    expect(traces.map(({ traceId }) => traceId)).toEqual([huge, young]);
    expect(traces[0]?.spans.map(({ startTimeUnixNano }) => startTimeUnixNano)).toEqual([
      noonUnixNano + 8_000_000_000n,
      noonUnixNano + 9_000_000_000n,
    ]);
  });

  test.each([
    [status.UNIMPLEMENTED, "unknown method"],
    [status.UNKNOWN, "not implemented"],
  ])("find ids by their traces where the server answers %s %j", async (code, details) => {
    const span = sampleSpan();
    const { reader } = await openWith({
      findTraceIDs: (_, answer) => answer(serviceError(code, details)),
      findTraces: (call) => sendSpans(call, [span]),
    });
    expect(await reader.findTraceIds({ limit: 5 })).toEqual([span.traceId]);
  });

  test.each([
    [status.NOT_FOUND, "no such thing"],
    [status.UNKNOWN, "trace not found"],
  ])("leave out a trace that the server answers with %s %j", async (code, details) => {
    const span = sampleSpan();
    const { reader } = await openWith({
      getTrace(call) {
        if (call.request.traceId.toString("hex") === span.traceId) {
          sendSpans(call, [span]);
        } else {
          call.emit("error", serviceError(code, details));
        }
      },
    });
    expect(await reader.getTraces([newTraceId(), span.traceId])).toEqual([
      { traceId: span.traceId, spans: [span] },
    ]);
  });

  test("end when they bring more than maxReadBytes", async () => {
    const { reader } = await openWith(
      { getTrace: (call) => sendSpans(call, [sampleSpan(), sampleSpan()]) },
      { maxReadBytes: 100 },
    );
    await expectStorageError(reader.getTraces([newTraceId()]), "STORAGE_TOO_LARGE");
  });

  test("add up the dependencies of several days", async () => {
    const { dependencies } = await openWith({
      getDependencies: (_, answer) =>
        answer(null, {
          dependencies: [
            { parent: "b", child: "c", callCount: 1n, source: "jaeger" },
            { parent: "a", child: "b", callCount: 2n, source: "" },
            { parent: "a", child: "b", callCount: 3n, source: "" },
          ],
        }),
    });
    expect(await dependencies.getDependencies({ startUnixNano: 0n, endUnixNano: 1n })).toEqual([
      { parent: "a", child: "b", callCount: 5, source: "" },
      { parent: "b", child: "c", callCount: 1, source: "jaeger" },
    ]);
  });

  test.each([
    [status.UNAVAILABLE, "STORAGE_UNAVAILABLE"],
    [status.RESOURCE_EXHAUSTED, "STORAGE_UNAVAILABLE"],
    [status.INVALID_ARGUMENT, "STORAGE_BAD_QUERY"],
    [status.UNIMPLEMENTED, "STORAGE_UNSUPPORTED"],
    [status.UNAUTHENTICATED, "STORAGE_REFUSED"],
    [status.UNKNOWN, "STORAGE_REFUSED"],
  ] as const)("answered with %s throw %s, with the server's words", async (code, storageCode) => {
    const { reader, address } = await openWith({
      getServices: (_, answer) => answer(serviceError(code, "so it is")),
    });
    await expect(reader.getServices()).rejects.toMatchObject({
      code: storageCode,
      message: `remote storage at ${address}: ${status[code]}: so it is`,
    });
  });
});

describe("writes to a remote storage", () => {
  test("go on where they stopped when a block is written again", async () => {
    const seen: string[] = [];
    let failures = 1;
    const { writer } = await openWith({
      ...capabilities(false),
      writeSpan({ request }, answer) {
        const name = request.span?.operationName ?? "";
        if (name === "3" && failures-- > 0) {
          return answer(serviceError(status.UNKNOWN, "database is away"));
        }
        seen.push(name);
        answer(null, {});
      },
    });
    const rows = rowsOf(...["1", "2", "3", "4"].map((name) => sampleSpan({ name })));
    const options = { deduplicationToken: newToken() };
    await expectStorageError(writer.writeSpans(rows, options), "STORAGE_UNAVAILABLE");
    await writer.writeSpans(rows, options);
    await writer.writeSpans(rows, options);
    expect(seen.toSorted()).toEqual(["1", "2", "3", "4"]);
  });

  test("store the others when a span is refused, and say how many are", async () => {
    const seen: string[] = [];
    const { writer, address } = await openWith({
      ...capabilities(false),
      writeSpan({ request }, answer) {
        const name = request.span?.operationName ?? "";
        if (name === "bad") {
          return answer(serviceError(status.INVALID_ARGUMENT, "too long"));
        }
        seen.push(name);
        answer(null, {});
      },
    });
    const rows = rowsOf(...["1", "bad", "2", "bad"].map((name) => sampleSpan({ name })));
    await expect(writer.writeSpans(rows, { deduplicationToken: newToken() })).rejects.toMatchObject({
      code: "STORAGE_REFUSED",
      message: `2 of 4 spans are refused, the others stored: remote storage at ${address}: INVALID_ARGUMENT: too long`,
    });
    expect(seen.toSorted()).toEqual(["1", "2"]);
  });

  test("take a server without capabilities for one that takes one span a call", async () => {
    let calls = 0;
    const store = await openWith({
      writeSpan(_, answer) {
        calls++;
        answer(null, {});
      },
    });
    await write(store, [sampleSpan(), sampleSpan()]);
    expect(calls).toBe(2);
    await store.ready();
    await expectStorageError(store.archive.reader.getTraces([newTraceId()]), "STORAGE_UNSUPPORTED");
    await expectStorageError(
      store.archive.writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken() }),
      "STORAGE_UNSUPPORTED",
    );
  });

  test("send streams of at most 5,000 spans, each acknowledged, in the model's form with the format last", async () => {
    const streams: ApiV2Span[][] = [];
    let failures = 1;
    const store = await openWith({
      ...capabilities(true),
      writeSpanStream(call, answer) {
        const spans: ApiV2Span[] = [];
        call.on("data", ({ span }: { span: ApiV2Span }) => spans.push(span));
        call.on("end", () => {
          if (spans.length < 5_000 && failures-- > 0) {
            return answer(serviceError(status.UNAVAILABLE, "away"));
          }
          streams.push(spans);
          answer(null, {});
        });
      },
    });
    const spans = Array.from({ length: 6_000 }, () => sampleSpan({ format: "jaeger" }));
    const token = newToken();
    await expectStorageError(write(store, spans, token), "STORAGE_UNAVAILABLE");
    expect(streams.map((sent) => sent.length)).toEqual([5_000]);
    await write(store, spans, token);
    expect(streams.flat().map(({ spanId }) => spanId.toString("hex"))).toEqual(
      spans.map(({ spanId }) => spanId),
    );
    expect(streams[0]?.[0]?.tags.at(-1)).toMatchObject({ key: "internal.span.format", vStr: "jaeger" });
  });

  test("name each tenant, and pass on the token of a reader", async () => {
    const named: unknown[] = [];
    const note = (metadata: Metadata) =>
      named.push([...metadata.get("x-org"), ...metadata.get("bearer.token")]);
    const { writer, reader } = await openWith(
      {
        ...capabilities(false),
        writeSpan({ metadata }, answer) {
          note(metadata);
          answer(null, {});
        },
        getServices({ metadata }, answer) {
          note(metadata);
          answer(null, { services: [] });
        },
      },
      { tenantHeader: "x-org" },
    );
    await writer.writeSpans(rowsOfTenant("acme", sampleSpan()), { deduplicationToken: newToken() });
    await reader.getServices({ tenant: "other", bearerToken: "secret" });
    await reader.getServices();
    expect(named).toEqual([["acme"], ["other", "secret"], []]);
    for (const tenant of ["žlutý", "a,b", " a", "line\nbreak"]) {
      await expectStorageError(reader.getServices({ tenant }), "STORAGE_BAD_QUERY");
    }
  });

  test("name no tenant where tenancy is off", async () => {
    const { reader } = await openWith({ getServices: (_, answer) => answer(null, { services: [] }) });
    await expectStorageError(reader.getServices({ tenant: "acme" }), "STORAGE_BAD_QUERY");
  });
});

describe("a remote storage that does not answer", () => {
  test("is unavailable until it is there", async () => {
    const first = await startFakeRemoteStorage({
      getServices: (_, answer) => answer(null, { services: ["a"] }),
    });
    const port = Number(first.address.split(":")[1]);
    const store = openGrpcStore({ server: first.address });
    onTestFinished(() => store.close());
    expect(await store.reader.getServices()).toEqual(["a"]);
    first.close();
    await expectStorageError(store.reader.getServices(), "STORAGE_UNAVAILABLE");
    await expectStorageError(store.ready(), "STORAGE_UNAVAILABLE");
    await expectStorageError(write(store, [sampleSpan()]), "STORAGE_UNAVAILABLE");
    const second = await startFakeRemoteStorage(
      { getServices: (_, answer) => answer(null, { services: ["b"] }) },
      port,
    );
    onTestFinished(() => second.close());
    const services = () => store.reader.getServices().catch(() => []);
    await expect.poll(services, { timeout: 60_000 }).toEqual(["b"]);
  });

  test("is unavailable when there is no connection within the time for one", async () => {
    // A server that accepts connections but never speaks HTTP/2.
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const store = openGrpcStore({ server: `127.0.0.1:${port}`, connectionTimeoutMs: 30 });
    onTestFinished(async () => {
      await store.close();
      silent.close();
    });
    await expect(store.reader.getServices()).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      message: `remote storage at 127.0.0.1:${port} cannot be reached: no connection within 30 ms`,
    });
  });

  test("times out a call", async () => {
    const { reader, address } = await openWith(
      { getServices: () => {}, findTraces: () => {} },
      { requestTimeoutMs: 50 },
    );
    await expect(reader.getServices()).rejects.toMatchObject({
      code: "STORAGE_TIMEOUT",
      message: `remote storage at ${address} did not answer within 50 ms`,
    });
    await expectStorageError(reader.findTraces({ limit: 1 }), "STORAGE_TIMEOUT");
  });

  test("is told when the caller gives up", async () => {
    const cancelled = Promise.withResolvers<void>();
    const abort = new AbortController();
    const { reader } = await openWith({
      findTraces(call) {
        call.on("cancelled", () => cancelled.resolve());
        call.write({ spans: [] });
        abort.abort();
      },
    });
    await expectStorageError(reader.findTraces({ limit: 1 }, { signal: abort.signal }), "STORAGE_ABORTED");
    await cancelled.promise;
  });
});
