import { once } from "node:events";
import { connect } from "node:http2";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { TenancyOptions } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { traceService } from "wire/otlp";
import {
  anyPort,
  grpcLimits,
  oneSpanProtobuf,
  openReceiverFixture,
  type ReceiverFixture,
  roomForOneSpan,
  twoTenants,
} from "../../test/receiver-fixture.ts";
import { openOtlpGrpc } from "./otlp-grpc.ts";
import type { Receiver } from "./receiver.ts";

const gzip = 2;
let fixture: ReceiverFixture;
let receiver: Receiver;
let client: Client;

async function open(maxBytes?: number, tenancy?: TenancyOptions): Promise<void> {
  fixture = await openReceiverFixture(maxBytes, tenancy);
  receiver = await openOtlpGrpc(anyPort, grpcLimits(100_000), fixture.context);
  client = connectTo(receiver.port);
}

async function close(): Promise<void> {
  client.close();
  await receiver.stop(AbortSignal.abort());
  await fixture.close();
}

function connectTo(port: number, compression = 0): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.default_compression_algorithm": compression,
  });
}

beforeEach(() => open());
afterEach(close);

function call(request: Buffer, from = client): Promise<{ rejectedSpans: number; errorMessage: string }> {
  const { path, requestSerialize, responseDeserialize } = traceService.export;
  return new Promise((resolve, reject) => {
    from.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) => {
      if (error !== null) {
        reject(error);
      } else {
        resolve(answer!);
      }
    });
  });
}

function failureOf(request: Buffer): Promise<ServiceError> {
  return call(request).then(
    () => expect.unreachable("the call succeeded"),
    (error: ServiceError) => error,
  );
}

test("spans are kept", async () => {
  expect(await call(oneSpanProtobuf())).toEqual({ rejectedSpans: 0, errorMessage: "" });
  expect(await fixture.spans()).toMatchObject([{ name: "x", resource: { serviceName: "shop" } }]);
  expect(await fixture.metric("requests_total", "grpc", "otlp", "kept")).toBe(1);
});

test("gzip is taken", async () => {
  const zipping = connectTo(receiver.port, gzip);
  await call(oneSpanProtobuf(), zipping);
  zipping.close();
  expect(await fixture.spans()).toHaveLength(1);
});

test("many calls at once keep their own spans", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `op${index}`);
  await Promise.all(names.map((name) => call(oneSpanProtobuf(name))));
  expect((await fixture.spans()).map(({ name }) => name).sort()).toEqual(names.sort());
});

test("spans with empty ids are rejected alone", async () => {
  expect(await call(oneSpanProtobuf("bad", "00".repeat(16)))).toMatchObject({ rejectedSpans: 1 });
});

describe("bad messages get their answer, and the next is served", () => {
  test.each([
    ["truncated", oneSpanProtobuf().subarray(0, 40), status.INVALID_ARGUMENT, /./],
    ["no protobuf", Buffer.from("hello"), status.INVALID_ARGUMENT, /./],
    ["too large", Buffer.alloc(200_000), status.RESOURCE_EXHAUSTED, /larger than max/],
  ])("%s", async (_, request, code, details) => {
    const failure = await failureOf(request);
    expect(failure.code).toBe(code);
    expect(failure.details).toMatch(details);
    // The client must not repeat either of them.
    expect(failure.metadata.get("grpc-status-details-bin")).toEqual([]);
    expect(await fixture.metric("requests_total", "grpc", "otlp", "invalid")).toBe(1);
    await call(oneSpanProtobuf());
    expect(await fixture.spans()).toHaveLength(1);
  });

  test("gzip that is none is counted as invalid too", async () => {
    const session = connect(`http://127.0.0.1:${receiver.port}`);
    const stream = session.request({
      ":method": "POST",
      ":path": traceService.export.path,
      "content-type": "application/grpc",
      "grpc-encoding": "gzip",
      te: "trailers",
    });
    // Compressed, five bytes.
    stream.end(Buffer.from("\x01\0\0\0\x05hello", "latin1"));
    const [headers] = (await once(stream, "response")) as [Record<string, string>];
    session.destroy();
    expect(headers["grpc-status"]).toBe(String(status.INTERNAL));
    expect(await fixture.metric("requests_total", "grpc", "otlp", "invalid")).toBe(1);
  });
});

describe("refusals", () => {
  test("a full journal answers RESOURCE_EXHAUSTED with RetryInfo, and keeps nothing", async () => {
    await close();
    await open(roomForOneSpan);
    await call(oneSpanProtobuf());
    const failure = await failureOf(oneSpanProtobuf());
    expect(failure.code).toBe(status.RESOURCE_EXHAUSTED);
    const [details] = failure.metadata.get("grpc-status-details-bin") as Buffer[];
    // google.rpc.Status: code 8, message, details: Any of RetryInfo with a Duration of 5 seconds.
    const anyStart = 2 + 2 + failure.details.length;
    expect([...details!.subarray(0, 4)]).toEqual([8, 8, 0x12, failure.details.length]);
    expect(details!.subarray(anyStart).toString("latin1")).toBe(
      "\x1a\x30\n\x28type.googleapis.com/google.rpc.RetryInfo\x12\x04\n\x02\x08\x05",
    );
    expect(await fixture.spans()).toHaveLength(1);
  });

  test("a message that would not fit an empty journal is INVALID_ARGUMENT: the sender is not to come again", async () => {
    await close();
    await open(100);
    const failure = await failureOf(oneSpanProtobuf());
    expect(failure.code).toBe(status.INVALID_ARGUMENT);
    expect(failure.metadata.get("grpc-status-details-bin")).toEqual([]);
  });

  test("a journal that stops answers UNAVAILABLE with RetryInfo", async () => {
    await fixture.journal.finish();
    const failure = await failureOf(oneSpanProtobuf());
    expect(failure.code).toBe(status.UNAVAILABLE);
    expect(failure.metadata.get("grpc-status-details-bin")).toHaveLength(1);
  });
});

test("a taken port is a start error that says what to do", async () => {
  const address = { ...anyPort.address, port: receiver.port, text: `127.0.0.1:${receiver.port}` };
  await expect(
    openOtlpGrpc(
      { address, what: "OTLP over gRPC", flag: "collector.otlp.grpc.host-port" },
      grpcLimits(1_000),
      fixture.context,
    ),
  ).rejects.toThrow(/^OTLP over gRPC: address .* is taken .* --collector.otlp.grpc.host-port$/);
});

describe("tenancy", () => {
  beforeEach(async () => {
    await close();
    await open(undefined, twoTenants);
  });

  function callAs(...names: string[]): Promise<unknown> {
    const metadata = new Metadata();
    for (const name of names) {
      metadata.add("x-tenant", name);
    }
    const { path, requestSerialize, responseDeserialize } = traceService.export;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        oneSpanProtobuf(),
        metadata,
        (error, answer) => (error === null ? resolve(answer) : reject(error)),
      );
    });
  }

  test("spans belong to the tenant that the metadata names", async () => {
    await callAs("beta");
    expect(await fixture.spansByTenant()).toEqual([["beta", "x"]]);
  });

  test.each([
    [[], "missing tenant header"],
    [["acme", "beta"], "extra tenant header"],
    [["nobody"], "unknown tenant"],
  ])("%j: PERMISSION_DENIED %s", async (names, details) => {
    await expect(callAs(...names)).rejects.toMatchObject({ code: status.PERMISSION_DENIED, details });
    expect(fixture.journal.segments).toBe(0);
    expect(await fixture.metric("requests_total", "invalid")).toBe(1);
  });
});
