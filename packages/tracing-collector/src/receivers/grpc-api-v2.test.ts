import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { TenancyOptions } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  PostSpansRequest,
  SamplingStrategyParameters,
  SamplingStrategyResponse,
  ValueType,
} from "wire/api-v2";
import {
  anyPort,
  grpcLimits,
  openReceiverFixture,
  type ReceiverFixture,
  twoTenants,
} from "../../test/receiver-fixture.ts";
import { openGrpcApiV2 } from "./grpc-api-v2.ts";
import type { Receiver } from "./receiver.ts";

let fixture: ReceiverFixture;
let receiver: Receiver;
let client: Client;

beforeEach(() => open());
afterEach(close);

async function open(tenancy?: TenancyOptions): Promise<void> {
  fixture = await openReceiverFixture(undefined, tenancy);
  receiver = await openGrpcApiV2(anyPort, grpcLimits(300_000), fixture.context);
  client = new Client(`127.0.0.1:${receiver.port}`, credentials.createInsecure());
}

async function close(): Promise<void> {
  client.close();
  await receiver.stop(AbortSignal.abort());
  await fixture.close();
}

function call(path: string, request: Uint8Array, ...tenants: string[]): Promise<Buffer> {
  const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes);
  const metadata = new Metadata();
  for (const tenant of tenants) {
    metadata.add("x-tenant", tenant);
  }
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asBuffer, asBuffer, request, metadata, (error, answer) => {
      if (error !== null) {
        reject(error);
      } else {
        resolve(answer!);
      }
    });
  });
}

const post = "/tracing.api_v2.CollectorService/PostSpans";

function batch(traceId = Buffer.alloc(16, 7), service = "shop"): Uint8Array {
  return PostSpansRequest.encode(
    PostSpansRequest.fromPartial({
      batch: {
        process: { serviceName: service },
        spans: [
          { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), operationName: "first" },
          {
            traceId,
            spanId: Buffer.alloc(8, 3),
            operationName: "second",
            tags: [{ key: "n", vType: ValueType.INT64, vInt64: 5n }],
            process: { serviceName: "own" },
          },
        ],
      },
    }),
  ).finish();
}

test.each(["tracing", "jaeger"])("PostSpans of %s.api_v2 keeps spans", async (name) => {
  expect(await call(`/${name}.api_v2.CollectorService/PostSpans`, batch())).toHaveLength(0);
  expect(await fixture.spans()).toMatchObject([
    { name: "first", format: "proto", resource: { serviceName: "shop" } },
    {
      name: "second",
      resource: { serviceName: "own" },
      attributes: [{ key: "n", value: { type: "int", value: 5n } }],
    },
  ]);
});

test("an empty request is fine", async () => {
  await call(post, new Uint8Array());
  expect(fixture.journal.segments).toBe(0);
});

describe("bad messages get INTERNAL, nothing is half kept, and the next is served", () => {
  test.each([
    ["truncated", batch().subarray(0, 20), /is no PostSpansRequest/],
    ["a length that lies", Buffer.from([0x0a, 0xff, 0x7f, 1]), /is no PostSpansRequest/],
  ])("%s", async (_, request, details) => {
    const failure = await call(post, request).then(
      () => expect.unreachable("the call succeeded"),
      (error: ServiceError) => error,
    );
    expect([failure.code, failure.details]).toEqual([status.INTERNAL, expect.stringMatching(details)]);
    await call(post, batch());
    expect(await fixture.spans()).toHaveLength(2);
    expect(await fixture.metric("requests_total", "proto", "invalid")).toBe(1);
  });
});

test("a span with a trace id of 3 bytes is rejected alone, and counted", async () => {
  await call(post, batch(Buffer.alloc(3)));
  expect(await fixture.spans()).toHaveLength(1);
  expect(await fixture.metric("spans_rejected_total", "proto")).toBe(1);
});

test("a message of a great many empty spans is refused", async () => {
  const spans = Buffer.alloc(200_002, Buffer.from([0x0a, 0]));
  // The length, 200,002, as a varint.
  await expect(
    call(post, Buffer.concat([Buffer.from([0x0a, 0xc2, 0x9a, 0x0c]), spans])),
  ).rejects.toMatchObject({
    code: status.INTERNAL,
    details: "invalid length for TraceID: 0 bytes, not 16 or 8",
  });
  expect(await fixture.metric("requests_total", "proto", "invalid")).toBe(1);
});

test("health knows the services under both names", async () => {
  for (const name of [
    "",
    ...["tracing.api_v2.CollectorService", "jaeger.api_v2.CollectorService"],
    ...["tracing.api_v2.SamplingManager", "jaeger.api_v2.SamplingManager"],
  ]) {
    const request = Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name)]);
    // status: SERVING
    expect([...(await call("/grpc.health.v1.Health/Check", request))]).toEqual([8, 1]);
  }
});

test("reflection lists the services under both names", async () => {
  const asBuffer = (bytes: Buffer) => bytes;
  const stream = client.makeBidiStreamRequest(
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    asBuffer,
    asBuffer,
  );
  // list_services: "*"
  stream.write(Buffer.from([0x3a, 1, 0x2a]));
  const answer = await new Promise<Buffer>((resolve, reject) => {
    stream.once("data", resolve);
    stream.once("error", reject);
  });
  stream.end();
  expect(answer.toString("latin1")).toContain("tracing.api_v2.CollectorService");
  expect(answer.toString("latin1")).toContain("jaeger.api_v2.CollectorService");
  expect(answer.toString("latin1")).toContain("tracing.api_v2.SamplingManager");
  expect(answer.toString("latin1")).toContain("jaeger.api_v2.SamplingManager");
});

test.each(["tracing", "jaeger"])("GetSamplingStrategy of %s.api_v2 answers for the service", async (name) => {
  const request = SamplingStrategyParameters.encode({ serviceName: "shop" }).finish();
  const answer = await call(`/${name}.api_v2.SamplingManager/GetSamplingStrategy`, request);
  expect(SamplingStrategyResponse.decode(answer)).toMatchObject({
    strategyType: 1,
    rateLimitingSampling: { maxTracesPerSecond: 4 },
  });
});

describe("tenancy", () => {
  beforeEach(async () => {
    await close();
    await open(twoTenants);
  });

  test("a batch belongs to the tenant that the metadata names", async () => {
    await call(post, batch(), "beta");
    expect(await fixture.spansByTenant()).toEqual([
      ["beta", "first"],
      ["beta", "second"],
    ]);
  });

  test.each([
    [[], "missing tenant header"],
    [["acme", "beta"], "extra tenant header"],
    [["nobody"], "unknown tenant"],
  ])("%j: PERMISSION_DENIED %s", async (names, details) => {
    await expect(call(post, batch(), ...names)).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details,
    });
    expect(fixture.journal.segments).toBe(0);
  });

  test("who asks for a strategy, or after health, needs none", async () => {
    await call("/jaeger.api_v2.SamplingManager/GetSamplingStrategy", new Uint8Array());
    expect([...(await call("/grpc.health.v1.Health/Check", new Uint8Array()))]).toEqual([8, 1]);
  });
});
