import { once } from "node:events";
import { Client, credentials, Metadata, type MethodDefinition, status } from "@grpc/grpc-js";
import { createLogger, openClientTls, openServerTls } from "lifecycle";
import { createTestAuthority, createTlsFolder } from "lifecycle/testing";
import { StorageError } from "storage/api";
import { openGrpcStore } from "storage/grpc";
import { openMemoryStore } from "storage/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ApiV2Span, stringTag } from "wire/api-v2";
import {
  archiveSpanReaderService,
  archiveSpanWriterService,
  dependenciesReaderService,
  pluginCapabilitiesService,
  spanReaderService,
  spanWriterService,
  streamingSpanWriterService,
} from "wire/grpc";
import type { SpansResponseChunk } from "wire/storage-v1";
import { type ServedStore, type ServedStoreSettings, serveStore } from "./remote-storage-fixture.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

async function served(settings: ServedStoreSettings = {}): Promise<ServedStore & { client: Client }> {
  const own = await serveStore(settings);
  const client = new Client(own.address, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await own.server.stop(AbortSignal.abort());
  });
  return { ...own, client };
}

let ids = 0;

function apiSpan(facts: Partial<ApiV2Span> = {}): ApiV2Span {
  const spanId = Buffer.alloc(8);
  spanId.writeUInt32BE(++ids, 4);
  return {
    traceId: Buffer.concat([Buffer.alloc(8, 7), spanId]),
    spanId,
    operationName: "GET /",
    references: [],
    flags: 1,
    startTime: { seconds: 1_784_721_600n, nanos: 5_000 },
    duration: { seconds: 0n, nanos: 7_000 },
    tags: [],
    logs: [],
    process: { serviceName: "shop", tags: [stringTag("hostname", "box")] },
    processId: "",
    warnings: [],
    ...facts,
  };
}

function unary<Request, Response>(
  client: Client,
  method: MethodDefinition<Request, Response>,
  request: Request,
  metadata = new Metadata(),
): Promise<Response | undefined> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      (error, answer) => (error === null ? resolve(answer) : reject(error)),
    );
  });
}

/** The chunks of a streamed answer, and the size of the largest. */
async function chunks<Request>(
  client: Client,
  method: MethodDefinition<Request, SpansResponseChunk>,
  request: Request,
): Promise<{ spans: ApiV2Span[][]; largest: number }> {
  let largest = 0;
  const measured = (bytes: Buffer): SpansResponseChunk => {
    largest = Math.max(largest, bytes.length);
    return method.responseDeserialize(bytes);
  };
  const call = client.makeServerStreamRequest(method.path, method.requestSerialize, measured, request);
  const spans: ApiV2Span[][] = [];
  for await (const chunk of call as AsyncIterable<SpansResponseChunk>) {
    spans.push(chunk.spans);
  }
  return { spans, largest };
}

function openStream(client: Client, metadata = new Metadata()) {
  const { path, requestSerialize, responseDeserialize } = streamingSpanWriterService.writeSpanStream;
  const answer = Promise.withResolvers<unknown>();
  const call = client.makeClientStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    metadata,
    (error) => (error === null ? answer.resolve("stored") : answer.reject(error)),
  );
  call.on("error", () => {});
  return { call, answer: answer.promise };
}

const query = {
  serviceName: "shop",
  operationName: "",
  tags: {},
  startTimeMin: undefined,
  startTimeMax: undefined,
  durationMin: undefined,
  durationMax: undefined,
  numTraces: 0,
};

describe("the remote storage API", () => {
  test("gives a span back as it was written, nothing added", async () => {
    const { client } = await served();
    const span = apiSpan({
      tags: [stringTag("a", "b"), stringTag("internal.span.format", "otlp")],
      warnings: ["w"],
    });
    await unary(client, spanWriterService.writeSpan, { span });
    const { spans } = await chunks(client, spanReaderService.getTrace, { traceId: span.traceId });
    expect(spans).toEqual([[span]]);
    expect(await unary(client, spanWriterService.close, {})).toEqual({});
  });

  test("sends large answers in chunks that clients take, of one trace each, its spans together", async () => {
    const { client } = await served();
    const large = "x".repeat(300_000);
    const [one, other] = [apiSpan(), apiSpan()];
    const { call, answer } = openStream(client);
    for (let span = 0; span < 1_500; span++) {
      call.write({ span: apiSpan({ traceId: one.traceId }) });
    }
    for (let span = 0; span < 20; span++) {
      call.write({ span: apiSpan({ traceId: other.traceId, tags: [stringTag("large", large)] }) });
    }
    call.end();
    await answer;
    const { spans, largest } = await chunks(client, spanReaderService.findTraces, { query });
    expect(spans.flat()).toHaveLength(1_520);
    expect(largest).toBeLessThan(4 * 1024 * 1024);
    expect(Math.max(...spans.map((chunk) => chunk.length))).toBe(1_000);
    const order = spans.map((chunk) => [...new Set(chunk.map(({ traceId }) => traceId.toString("hex")))]);
    for (const traceIds of order) {
      expect(traceIds).toHaveLength(1);
    }
    const runs = order.flat().filter((id, index, all) => id !== all[index - 1]);
    expect(new Set(runs).size).toBe(runs.length);
    const { traceIds } = (await unary(client, spanReaderService.findTraceIDs, { query })) ?? {};
    expect(traceIds).toHaveLength(2);
  });

  test("answers what cannot be with gRPC's codes", async () => {
    const { client } = await served();
    const { getTrace, findTraceIDs, findTraces, getOperations } = spanReaderService;
    const failure = (code: status, details: string) => ({ code, details });
    await expect(chunks(client, getTrace, { traceId: Buffer.alloc(16, 9) })).rejects.toMatchObject(
      failure(status.NOT_FOUND, "trace not found"),
    );
    await expect(
      chunks(client, archiveSpanReaderService.getArchiveTrace, { traceId: Buffer.alloc(16, 9) }),
    ).rejects.toMatchObject(failure(status.NOT_FOUND, "trace not found"));
    await expect(chunks(client, getTrace, { traceId: Buffer.alloc(3) })).rejects.toMatchObject(
      failure(status.INTERNAL, "invalid length for TraceID: 3 bytes, not 16 or 8"),
    );
    await expect(chunks(client, findTraces, { query: undefined })).rejects.toMatchObject(
      failure(status.INVALID_ARGUMENT, "missing query"),
    );
    await expect(unary(client, findTraceIDs, { query: undefined })).rejects.toMatchObject(
      failure(status.INVALID_ARGUMENT, "missing query"),
    );
    const long = "x".repeat(9_000);
    await expect(
      unary(client, findTraceIDs, { query: { ...query, serviceName: long } }),
    ).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    await expect(unary(client, spanWriterService.writeSpan, { span: undefined })).rejects.toMatchObject(
      failure(status.INVALID_ARGUMENT, "request has no span"),
    );
    const badId = apiSpan({ spanId: Buffer.alloc(2) });
    await expect(unary(client, spanWriterService.writeSpan, { span: badId })).rejects.toMatchObject(
      failure(status.INTERNAL, "invalid length for SpanID: 2 bytes, not 8"),
    );
    expect(await unary(client, getOperations, { service: "shop", spanKind: "strange" })).toEqual({
      operationNames: [],
      operations: [],
    });
  });

  test("keeps an archive, and counts who calls whom", async () => {
    const { client, metrics } = await served();
    const span = apiSpan();
    await unary(client, archiveSpanWriterService.writeArchiveSpan, { span });
    const { spans } = await chunks(client, archiveSpanReaderService.getArchiveTrace, {
      traceId: span.traceId,
    });
    expect(spans).toEqual([[span]]);
    await expect(chunks(client, spanReaderService.getTrace, { traceId: span.traceId })).rejects.toMatchObject(
      {
        code: status.NOT_FOUND,
      },
    );

    const parent = apiSpan();
    const child = apiSpan({
      traceId: parent.traceId,
      references: [{ traceId: parent.traceId, spanId: parent.spanId, refType: 0 }],
      process: { serviceName: "db", tags: [] },
    });
    for (const one of [parent, child]) {
      await unary(client, spanWriterService.writeSpan, { span: one });
    }
    const all = { startTime: { seconds: 0n, nanos: 0 }, endTime: undefined };
    const times = { ...all, endTime: { seconds: 1_884_721_600n, nanos: 0 } };
    expect(await unary(client, dependenciesReaderService.getDependencies, times)).toEqual({
      dependencies: [{ parent: "shop", child: "db", callCount: 1n, source: "" }],
    });
    expect(await metrics()).toContain(
      'tracing_storage_grpc_calls_total{method="GetTrace",code="NOT_FOUND"} 1',
    );
    expect(await metrics()).toContain("tracing_storage_grpc_spans_written_total 3");
  });

  test("keeps tenants apart, and serves none without a name", async () => {
    const { client, address } = await served({ tenancy: true, tenants: ["a", "b"] });
    const metadata = (...names: string[]) => {
      const all = new Metadata();
      for (const name of names) {
        all.add("x-tenant", name);
      }
      return all;
    };
    const services = (...names: string[]) =>
      unary(client, spanReaderService.getServices, {}, metadata(...names));
    await unary(client, spanWriterService.writeSpan, { span: apiSpan() }, metadata("a"));
    const { call, answer } = openStream(client, metadata("b"));
    call.write({ span: apiSpan({ process: { serviceName: "other", tags: [] } }) });
    call.end();
    await answer;
    expect(await services("a")).toEqual({ services: ["shop"] });
    expect(await services("b")).toEqual({ services: ["other"] });
    await expect(services()).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
      details: "missing tenant header",
    });
    await expect(services("a", "b")).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: "extra tenant header",
    });
    await expect(services("c")).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: "unknown tenant",
    });
    await expect(openStream(client).answer).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    await expect(unary(client, spanWriterService.writeSpan, { span: apiSpan() })).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
    expect(await unary(client, pluginCapabilitiesService.capabilities, {})).toMatchObject({
      archiveSpanReader: true,
    });

    const store = openGrpcStore({ server: address, tenantHeader: "x-tenant" });
    onTestFinished(() => store.close());
    await store.ready();
    expect(await store.reader.getServices({ tenant: "b" })).toEqual(["other"]);
    expect((await store.reader.findTraces({ limit: 5 }, { tenant: "a" })).length).toBe(1);
    await expect(store.reader.getServices()).rejects.toMatchObject({ code: "STORAGE_REFUSED" });
  });

  test("stores spans of a stream while it is open, and ends idle streams when it stops", async () => {
    const { client, server, store } = await served();
    const { call, answer } = openStream(client);
    const span = apiSpan();
    call.write({ span });
    await expect.poll(() => store.reader.getServices()).toEqual(["shop"]);
    const ended = expect(answer).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: "this process is stopping",
    });
    await server.stop(new AbortController().signal);
    await ended;
  });

  test("ends a stream with the reason when spans are not stored, and refuses what is no span", async () => {
    const away = openMemoryStore();
    const { client } = await served({
      store: {
        ...away,
        writer: {
          async writeSpans() {
            throw new StorageError("STORAGE_UNAVAILABLE", "the disk is full");
          },
        },
      },
      groups: { maxDelayMs: 1, maxPendingBytes: 1_000_000, writeTimeoutMs: 0 },
    });
    const first = openStream(client);
    first.call.write({ span: apiSpan() });
    await expect(first.answer).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: "the disk is full",
    });
    await expect(unary(client, spanWriterService.writeSpan, { span: apiSpan() })).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: "the disk is full",
    });
    const second = openStream(client);
    second.call.write({ span: undefined });
    await expect(second.answer).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: "request has no span",
    });
  });

  test("holds a stream back while too much waits, and refuses single spans", async () => {
    const memory = openMemoryStore();
    const store = Promise.withResolvers<void>();
    let writes = 0;
    const { client } = await served({
      store: {
        ...memory,
        writer: {
          async writeSpans(rows, options) {
            writes++;
            const copy = { bytes: Buffer.from(rows.bytes), count: rows.count };
            await store.promise;
            await memory.writer.writeSpans(copy, options);
          },
        },
      },
      groups: { maxDelayMs: 1, maxPendingBytes: 1, writeTimeoutMs: 5_000 },
    });
    const { call, answer } = openStream(client);
    const spans = Array.from({ length: 50 }, () => apiSpan());
    for (const span of spans) {
      call.write({ span });
    }
    call.end();
    await expect.poll(() => writes).toBe(1);
    await expect(unary(client, spanWriterService.writeSpan, { span: apiSpan() })).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    store.resolve();
    expect(await answer).toBe("stored");
    expect(await memory.reader.findTraceIds({ limit: 100 })).toHaveLength(50);
  });

  test("forgets a stream whose client goes away, and keeps what it sent", async () => {
    const { client, store } = await served();
    const { call, answer } = openStream(client);
    answer.catch(() => {});
    call.write({ span: apiSpan() });
    await expect.poll(() => store.reader.getServices()).toEqual(["shop"]);
    const ended = once(call, "status");
    call.cancel();
    await ended;
    expect(await unary(client, spanReaderService.getServices, {})).toEqual({ services: ["shop"] });
  });

  test("speaks TLS to the engine grpc, which shows a certificate and takes new ones", async () => {
    const authority = createTestAuthority();
    const own = createTlsFolder(authority.issue("localhost"), authority.cert);
    const theirs = createTlsFolder(authority.issue("client"), authority.cert);
    const serverOptions = {
      "grpc.tls.enabled": true,
      "grpc.tls.cert": own.certPath,
      "grpc.tls.key": own.keyPath,
      "grpc.tls.client-ca": own.caPath,
      "grpc.tls.cipher-suites": [],
      "grpc.tls.min-version": undefined,
      "grpc.tls.max-version": undefined,
      "grpc.tls.reload-interval": 0,
    };
    const { address, client } = await served({ tls: await openServerTls(serverOptions, "grpc", log) });
    const clientOptions = {
      "grpc-storage.tls.enabled": true,
      "grpc-storage.tls.ca": theirs.caPath,
      "grpc-storage.tls.cert": theirs.certPath,
      "grpc-storage.tls.key": theirs.keyPath,
      "grpc-storage.tls.server-name": "",
      "grpc-storage.tls.skip-host-verify": false,
    };
    const store = openGrpcStore({ server: address, tls: openClientTls(clientOptions, "grpc-storage", log) });
    const noCertificate = { ...clientOptions, "grpc-storage.tls.cert": "", "grpc-storage.tls.key": "" };
    const refused = openGrpcStore({
      server: address,
      tls: openClientTls(noCertificate, "grpc-storage", log),
    });
    onTestFinished(async () => {
      await store.close();
      await refused.close();
      own.remove();
      theirs.remove();
    });
    await store.ready();
    expect(await store.reader.getServices()).toEqual([]);
    await expect(refused.reader.getServices()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    await expect(unary(client, spanReaderService.getServices, {})).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });

    // From here on only the new authority counts, on both sides.
    const next = createTestAuthority();
    own.swap(next.issue("localhost"), next.cert);
    theirs.swap(next.issue("client"), next.cert);
    const fresh = async () => {
      const other = openGrpcStore({
        server: address,
        tls: openClientTls(clientOptions, "grpc-storage", log),
      });
      const answered = await other.reader.getServices().then(
        () => true,
        () => false,
      );
      await other.close();
      return answered;
    };
    await expect.poll(fresh, { timeout: 60_000 }).toBe(true);
    await expect.poll(() => store.reader.getServices().catch(() => "away"), { timeout: 60_000 }).toEqual([]);
  });
});
