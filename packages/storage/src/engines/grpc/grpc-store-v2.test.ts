// Servers of others: what they leave out, refuse or answer otherwise than ours.
import {
  Server,
  ServerCredentials,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { traceReaderService, withPublicNames } from "wire/grpc";
import { encodeTraces, type TraceServiceHandlers, traceService } from "wire/otlp";
import { decodeTraces } from "wire/testing";
import { newToken, rowsOf } from "../../contract/contract-context.ts";
import { newTraceId, sampleSpan } from "../../contract/sample-spans.ts";
import { serviceError, startFakeRemoteStorage } from "../../testing/fake-remote-storage.ts";
import { openGrpcStore } from "./grpc-store.ts";

type ExportOutcome = ReturnType<typeof traceService.export.responseDeserialize>;

interface Served {
  readonly reader?: UntypedServiceImplementation;
  /** Answers one export: an outcome, or an error. */
  readonly export?: (message: Buffer) => ExportOutcome | ServiceError;
}

async function openWith({ reader, export: take }: Served) {
  const server = new Server();
  if (reader !== undefined) {
    const [, definition] = withPublicNames(traceReaderService);
    server.addService(
      Object.fromEntries(Object.entries(definition ?? {}).filter(([name]) => name in reader)),
      reader,
    );
  }
  if (take !== undefined) {
    const handlers: TraceServiceHandlers = {
      export: (call, callback) => {
        const outcome = take(call.request);
        return outcome instanceof Error ? callback(outcome) : callback(null, outcome);
      },
    };
    server.addService(traceService, { ...handlers });
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  const store = openGrpcStore({ server: `127.0.0.1:${port}`, version: 2 });
  onTestFinished(async () => {
    await store.close();
    server.forceShutdown();
  });
  return store;
}

const taken: ExportOutcome = { rejectedSpans: 0, errorMessage: "" };
const spansOf = (count: number) => Array.from({ length: count }, () => sampleSpan({ format: "otlp" }));

test("writes the messages again that were not acknowledged, and no others", async () => {
  let isDown = true;
  const received: string[][] = [];
  const { writer } = await openWith({
    export: (message) => {
      const ids = decodeTraces(message).map(({ spanId }) => spanId);
      if (isDown && ids.includes(spans[1_500]?.spanId ?? "")) {
        return serviceError(status.UNAVAILABLE, "restarting");
      }
      received.push(ids);
      return taken;
    },
  });
  const spans = spansOf(2_500);
  const options = { deduplicationToken: newToken() };
  await expect(writer.writeSpans(rowsOf(...spans), options)).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
  });
  isDown = false;
  await writer.writeSpans(rowsOf(...spans), options);
  await writer.writeSpans(rowsOf(...spans), options);
  expect(received.flat().toSorted()).toEqual(spans.map(({ spanId }) => spanId).toSorted());
});

test("says how many spans the server rejects, and writes them no second time", async () => {
  let calls = 0;
  const { writer } = await openWith({
    export: () => {
      calls++;
      return { rejectedSpans: 2, errorMessage: "too old" };
    },
  });
  await expect(
    writer.writeSpans(rowsOf(...spansOf(3)), { deduplicationToken: newToken() }),
  ).rejects.toMatchObject({
    code: "STORAGE_REFUSED",
    message: "2 of 3 spans are refused, the others stored: too old",
  });
  expect(calls).toBe(1);
});

test.each([
  [status.INVALID_ARGUMENT, "STORAGE_REFUSED"],
  [status.RESOURCE_EXHAUSTED, "STORAGE_UNAVAILABLE"],
  [status.UNKNOWN, "STORAGE_UNAVAILABLE"],
])("takes the status %i of a write for %s", async (code, expected) => {
  const { writer } = await openWith({ export: () => serviceError(code, "no") });
  await expect(
    writer.writeSpans(rowsOf(...spansOf(1)), { deduplicationToken: newToken() }),
  ).rejects.toMatchObject({ code: expected });
});

test("reads traces where the server has no call for ids, in any order, with an empty message between", async () => {
  const [older, newer] = [newTraceId(), newTraceId()];
  const spans = [
    sampleSpan({ format: "otlp", traceId: older, startTimeUnixNano: 1_000_000_000n }),
    sampleSpan({ format: "otlp", traceId: newer, startTimeUnixNano: 2_000_000_000n }),
  ];
  const { reader } = await openWith({
    reader: {
      findTraces: (call: { write(bytes: unknown): void; end(): void }) => {
        call.write({ resourceSpans: [] });
        for (const span of spans) {
          call.write(traceReaderService.findTraces.responseDeserialize(encodeTraces([span])));
        }
        call.end();
      },
    },
  });
  expect(await reader.findTraceIds({ limit: 10 })).toEqual([newer, older]);
  expect(await reader.findTraceIds({ limit: 1 })).toEqual([newer]);
});

test("is not ready at a server that has only version 1, and names its answer", async () => {
  const fake = await startFakeRemoteStorage({ getServices: (_, answer) => answer(null, { services: [] }) });
  const store = openGrpcStore({ server: fake.address, version: 2 });
  onTestFinished(async () => {
    await store.close();
    fake.close();
  });
  await expect(store.ready()).rejects.toMatchObject({
    code: "STORAGE_UNSUPPORTED",
    message: expect.stringContaining("jaeger.storage.v2.TraceReader"),
  });
  await expect(store.archive.reader.getTraces([newTraceId()])).rejects.toMatchObject({
    code: "STORAGE_UNSUPPORTED",
  });
});
