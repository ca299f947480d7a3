import { traceStoreContract } from "storage/contract";
import { openGrpcStore } from "storage/grpc";
import { vi } from "vitest";
import { serveStore } from "./remote-storage-fixture.ts";

// One test of the contract writes 10,000 spans, which takes as many calls.
vi.setConfig({ testTimeout: 120_000 });

const asText = "the older model has no such attribute: it becomes text";
const noNameless = "over this API either every call names a tenant or none does";
const notInApi = "the remote storage API has no such call";

const namedByAttribute = "OTLP has a service's name only as an attribute of the resource";
const becomesOtlp = "the API has spans of OTLP only";

const oneTenant = [
  { test: "tenants: each sees its own services, operations and traces only", reason: noNameless },
  { test: "tenants: spans of one trace id belong to two traces", reason: noNameless },
  { test: "tenants: tags and times find nothing of others", reason: noNameless },
  { test: "tenants: names with any characters are names, not patterns or SQL", reason: "metadata are ASCII" },
  { test: "tenants: a name of over 1,024 bytes is refused", reason: "metadata are ASCII" },
  { test: "dependencies: no tenant sees links of another, nor calls into another", reason: noNameless },
  { test: "dependencies: calls are told apart by how they end and how long they last", reason: notInApi },
];

// The whole way of a span: the engine `grpc`, our server, and the memory engine, which has its own contract test.
for (const streamingWrites of [true, false]) {
  traceStoreContract({
    name: `grpc, writing ${streamingWrites ? "streams" : "one span a call"}, to our server`,
    open: async () => {
      const { server, address } = await serveStore({ streamingWrites });
      const store = openGrpcStore({ server: address });
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
      ...oneTenant,
      { test: "archive: each tenant has its own", reason: noNameless },
      {
        test: "dependencies: calls also say how many they stand for, whether their parent came before or after",
        reason: notInApi,
      },
      {
        test: "dependencies: many calls whose parents never come do not hide those whose parents did",
        reason: notInApi,
      },
    ],
    unsupported: {
      metrics: notInApi,
      analysis: notInApi,
      traceql: notInApi,
      catalog: notInApi,
      sampling: notInApi,
    },
  });
}

// Version 2: spans are OTLP's, so that every attribute comes back with its type.
traceStoreContract({
  name: "grpc, version 2, to our server",
  open: async () => {
    const { server, address } = await serveStore();
    const store = openGrpcStore({ server: address, version: 2 });
    return {
      ...store,
      async close() {
        await store.close();
        await server.stop(AbortSignal.abort());
      },
    };
  },
  skip: [
    ...oneTenant,
    { test: "gives back an OTLP span with every attribute type in every place", reason: namedByAttribute },
    { test: "gives back a span of empty strings", reason: namedByAttribute },
    { test: "tags: service.name is the service, in every format", reason: namedByAttribute },
    { test: "gives back a span that came as api_v2 protobuf", reason: becomesOtlp },
    { test: "gives back a span that came as Thrift", reason: becomesOtlp },
    { test: "gives back a span that came as Zipkin", reason: becomesOtlp },
    { test: "tags: what a Zipkin span shows as tags", reason: becomesOtlp },
    {
      test: "tags: the older model's tags as they are, and not what was derived from them",
      reason: becomesOtlp,
    },
    {
      test: "dependencies: calls also say how many they stand for, whether their parent came before or after",
      reason: notInApi,
    },
    {
      test: "dependencies: many calls whose parents never come do not hide those whose parents did",
      reason: notInApi,
    },
  ],
  unsupported: {
    metrics: notInApi,
    analysis: notInApi,
    traceql: notInApi,
    catalog: notInApi,
    sampling: notInApi,
    archive: notInApi,
  },
});
