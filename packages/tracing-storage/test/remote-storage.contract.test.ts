import { createLogger, createMetrics, TenantCheck } from "lifecycle";
import { traceStoreContract } from "storage/contract";
import { openGrpcStore } from "storage/grpc";
import { openMemoryStore } from "storage/memory";
import { openRemoteStorage } from "../src/grpc/remote-storage-server.ts";

const asText = "the older model has no such attribute: it becomes text";
const noNameless = "over this API either every call names a tenant or none does";
const notInApi = "the remote storage API has no such call";

// The whole way of a span: the engine `grpc`, our server, and the memory engine, whose own contract says what it can do.
for (const streamingWrites of [true, false]) {
  traceStoreContract({
    name: `grpc, writing ${streamingWrites ? "streams" : "one span a call"}, to our server`,
    open: async () => {
      const metrics = createMetrics("tracing-storage");
      const remote = openMemoryStore();
      const server = await openRemoteStorage({
        address: { host: "127.0.0.1", port: 0, text: "127.0.0.1:0" },
        tls: undefined,
        store: remote,
        tenants: new TenantCheck({
          "multi-tenancy.enabled": false,
          "multi-tenancy.header": "x-tenant",
          "multi-tenancy.tenants": [],
        }),
        log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
        metrics,
        maxMessageBytes: 4 * 1024 * 1024,
        streamingWrites,
        groups: { maxDelayMs: 5, maxPendingBytes: 64 * 1024 * 1024, writeTimeoutMs: 5_000 },
      });
      const store = openGrpcStore({ server: `127.0.0.1:${server.port}` });
      return {
        ...store,
        async close() {
          await store.close();
          await server.stop(AbortSignal.abort());
        },
      };
    },
    skip: [
      { test: "gives back an OTLP span with every attribute type in every place", reason: asText },
      { test: "archive: everything in a span comes back", reason: asText },
      {
        test: "gives back a span of empty strings",
        reason: "an empty name of the service is an attribute then",
      },
      { test: "tenants: each sees its own services, operations and traces only", reason: noNameless },
      { test: "tenants: spans of one trace id belong to two traces", reason: noNameless },
      { test: "tenants: tags and times find nothing of others", reason: noNameless },
      {
        test: "tenants: names with any characters are names, not patterns or SQL",
        reason: "metadata are ASCII",
      },
      { test: "tenants: a name of over 1,024 bytes is refused", reason: "metadata are ASCII" },
      { test: "archive: each tenant has its own", reason: noNameless },
      { test: "dependencies: no tenant sees links of another, nor calls into another", reason: noNameless },
    ],
    unsupported: { metrics: notInApi, analysis: notInApi, sampling: notInApi },
  });
}
