import { randomBytes } from "node:crypto";
import type { MethodDefinition } from "@grpc/grpc-js";
import { collectorService, queryService, withPublicNames } from "wire/grpc";
import { eventually, expectEqual } from "../expect.ts";
import type { Case, Suite } from "../suite.ts";
import { askTraces } from "./ask.ts";
import { callGrpc, grpcErrorOf } from "./call-grpc.ts";
import { visibleWithinMs } from "./sample-trace.ts";

type MessageOf<Method> = Method extends MethodDefinition<infer Request, unknown> ? Request : never;
type PostSpans = MessageOf<(typeof collectorService)["postSpans"]>;

/** One span in the older model, with tags of every type. */
function batch(): { request: PostSpans; traceId: Buffer; service: string } {
  const traceId = randomBytes(16);
  const service = `conformance-${traceId.toString("hex").slice(0, 12)}`;
  const nowMs = Date.now();
  const tag = { vStr: "", vBool: false, vInt64: 0n, vFloat64: 0, vBinary: Buffer.alloc(0) };
  const request: PostSpans = {
    batch: {
      process: { serviceName: service, tags: [{ ...tag, key: "hostname", vType: 0, vStr: "h1" }] },
      spans: [
        {
          traceId,
          spanId: randomBytes(8),
          operationName: "legacy",
          references: [],
          flags: 1,
          startTime: { seconds: BigInt(Math.floor(nowMs / 1000)), nanos: 123_456_000 },
          duration: { seconds: 0n, nanos: 1_500_000 },
          tags: [
            { ...tag, key: "s", vType: 0, vStr: "text" },
            { ...tag, key: "b", vType: 1, vBool: true },
            { ...tag, key: "i", vType: 2, vInt64: 42n },
            { ...tag, key: "f", vType: 3, vFloat64: 2.5 },
            { ...tag, key: "x", vType: 4, vBinary: Buffer.from([1, 2, 3]) },
            { ...tag, key: "span.kind", vType: 0, vStr: "server" },
          ],
          logs: [],
          process: undefined,
          processId: "",
          warnings: [],
        },
      ],
    },
  };
  return { request, traceId, service };
}

/** The same cases, under the names `tracing.*` or under the public model's names. */
function cases(index: 0 | 1, label: string): Case[] {
  const collector = withPublicNames(collectorService)[index] ?? collectorService;
  const query = withPublicNames(queryService)[index] ?? queryService;
  return [
    {
      name: `${label}: a posted batch is found over gRPC and HTTP, with every tag type`,
      async run(addresses) {
        const { request, traceId, service } = batch();
        await callGrpc(addresses.collectorGrpc, collector.postSpans, request);
        const times = { startTime: undefined, endTime: undefined };
        const chunks = await eventually(
          () => callGrpc(addresses.queryGrpc, query.getTrace, { traceId, ...times }),
          visibleWithinMs,
        );
        const [span] = chunks.flatMap((chunk) => chunk.spans);
        const sent = request.batch?.spans[0];
        expectEqual(span?.operationName, "legacy", "operation");
        expectEqual(span?.startTime, sent?.startTime, "start");
        expectEqual(span?.duration, sent?.duration, "duration");
        expectEqual(span?.process?.serviceName, service, "service");
        const types = span?.tags
          .filter((tag: { key: string }) => tag.key.length === 1)
          .map((tag: { key: string; vType: number }) => [tag.key, tag.vType]);
        expectEqual(
          types,
          [
            ["s", 0],
            ["b", 1],
            ["i", 2],
            ["f", 3],
            ["x", 4],
          ],
          "tags in order",
        );
        const [trace] = await askTraces(`${addresses.query}/api/traces/${traceId.toString("hex")}`);
        const values = trace?.spans[0]?.tags
          .filter((tag) => tag.key.length === 1)
          .map((tag) => [tag.key, tag.value]);
        expectEqual(
          values,
          [
            ["b", true],
            ["f", 2.5],
            ["i", 42],
            ["s", "text"],
            ["x", "AQID"],
          ],
          "tags over HTTP",
        );

        await eventually(async () => {
          const services = await callGrpc(addresses.queryGrpc, query.getServices, {});
          expectEqual(services[0]?.services.includes(service), true, "GetServices");
        }, visibleWithinMs);
        const operations = await callGrpc(addresses.queryGrpc, query.getOperations, {
          service,
          spanKind: "",
        });
        expectEqual(operations[0]?.operations, [{ name: "legacy", spanKind: "server" }], "GetOperations");
        const found = await callGrpc(addresses.queryGrpc, query.findTraces, {
          query: {
            serviceName: service,
            operationName: "legacy",
            tags: { i: "42" },
            startTimeMin: { seconds: 0n, nanos: 0 },
            startTimeMax: { seconds: BigInt(Math.floor(Date.now() / 1000) + 60), nanos: 0 },
            durationMin: undefined,
            durationMax: undefined,
            searchDepth: 5,
          },
        });
        expectEqual(found.flatMap((chunk) => chunk.spans).length, 1, "FindTraces");
      },
    },
    {
      name: `${label}: an unknown trace is NOT_FOUND, no id is INVALID_ARGUMENT`,
      async run({ queryGrpc }) {
        const get = (traceId: Buffer) =>
          grpcErrorOf(
            callGrpc(queryGrpc, query.getTrace, { traceId, startTime: undefined, endTime: undefined }),
          );
        expectEqual((await get(randomBytes(16))).code, "NOT_FOUND", "unknown");
        expectEqual((await get(Buffer.alloc(16))).code, "INVALID_ARGUMENT", "zero");
      },
    },
    {
      name: `${label}: a batch with ids of wrong length is refused, and the next one is taken`,
      async run({ collectorGrpc }) {
        const { request } = batch();
        const bad = structuredClone(request);
        if (bad.batch?.spans[0] !== undefined) {
          bad.batch.spans[0].traceId = Buffer.from([1, 2, 3]);
        }
        const error = await grpcErrorOf(callGrpc(collectorGrpc, collector.postSpans, bad));
        expectEqual(["INTERNAL", "INVALID_ARGUMENT"].includes(error.code), true, `code ${error.code}`);
        await callGrpc(collectorGrpc, collector.postSpans, request);
      },
    },
  ];
}

/** CollectorService and QueryService over gRPC. */
export const grpc: Suite = {
  name: "tracing-api/grpc",
  needs: ["collectorGrpc", "queryGrpc", "query"],
  cases: [...cases(0, "tracing.api_v2"), ...cases(1, "jaeger.api_v2")],
};
