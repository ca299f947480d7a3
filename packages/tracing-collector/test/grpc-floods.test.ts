// Frames that cost a client less than us, and messages in every encoding, at both gRPC ports: our own server, and grpc-js'.
import { readFileSync } from "node:fs";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
  encodeFrame,
  encodeRstStream,
  encodeSettings,
  errorCodes,
  frameFlags,
  frameTypes,
} from "http-protocols/http2";
import { afterEach, describe, expect, test } from "vitest";
import { PostSpansRequest } from "wire/api-v2";
import { openGrpcApiV2 } from "../src/receivers/grpc-api-v2.ts";
import { openOtlpGrpc } from "../src/receivers/otlp-grpc.ts";
import type { Receiver } from "../src/receivers/receiver.ts";
import {
  anyPort,
  grpcLimits,
  oneSpanProtobuf,
  openReceiverFixture,
  type ReceiverFixture,
} from "./receiver-fixture.ts";
import { callFields, dataFrame, grpcMessage, headersFrame, RawClient } from "./unary-grpc/raw-client.ts";

const maxMessageBytes = 100_000;
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

const doors = {
  "OTLP over gRPC": {
    open: openOtlpGrpc,
    path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    message: Buffer.from(oneSpanProtobuf()),
  },
  PostSpans: {
    open: openGrpcApiV2,
    path: "/jaeger.api_v2.CollectorService/PostSpans",
    message: Buffer.from(
      PostSpansRequest.encode(
        PostSpansRequest.fromPartial({
          batch: {
            process: { serviceName: "shop" },
            spans: [{ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), operationName: "x" }],
          },
        }),
      ).finish(),
    ),
  },
} as const;

type Door = keyof typeof doors;

async function openDoor(door: Door): Promise<{ fixture: ReceiverFixture; client: RawClient }> {
  const fixture = await openReceiverFixture();
  const receiver: Receiver = await doors[door].open(anyPort, grpcLimits(maxMessageBytes), fixture.context);
  const client = RawClient.begun(receiver.port);
  closers.push(
    () => fixture.close(),
    () => receiver.stop(AbortSignal.abort()),
    () => void client.socket.destroy(),
  );
  return { fixture, client };
}

const fieldsOf = (door: Door, ...more: { name: string; value: string }[]) =>
  callFields(...more).map((field) =>
    field.name === ":path" ? { ...field, value: doors[door].path } : field,
  );

const frames: Readonly<Record<string, (door: Door, index: number) => Buffer>> = {
  PING: () => encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
  SETTINGS: () => encodeSettings(new Map([[4, 65_535]])),
  PRIORITY: () => encodeFrame(frameTypes.priority, 0, 3, Buffer.of(0, 0, 0, 1, 7)),
  "empty DATA": (door, index) =>
    Buffer.concat([
      ...(index === 0 ? [headersFrame(1, fieldsOf(door))] : []),
      dataFrame(1, Buffer.alloc(0), 0),
    ]),
  "HEADERS and RST_STREAM": (door, index) =>
    Buffer.concat([headersFrame(2 * index + 1, fieldsOf(door)), encodeRstStream(2 * index + 1, 8)]),
};

describe.each(Object.keys(doors) as Door[])("%s", (door) => {
  test.each(Object.keys(frames))("a flood of %s ends the connection, and no other", async (kind) => {
    const { client, fixture } = await openDoor(door);
    let isClosed = false;
    client.socket.once("close", () => {
      isClosed = true;
    });
    for (let index = 0; index < 20_000 && !isClosed; index += 200) {
      const some = Array.from(
        { length: 200 },
        (_, at) => frames[kind]?.(door, index + at) ?? Buffer.alloc(0),
      );
      client.send(...some);
      await new Promise(setImmediate);
    }
    await client.closed();
    expect(await fixture.spans()).toHaveLength(0);
  });

  test("a ping for each answered call is no flood", async () => {
    const { client } = await openDoor(door);
    for (let streamId = 1; streamId < 6_001; streamId += 2) {
      client.send(
        headersFrame(streamId, fieldsOf(door)),
        dataFrame(streamId, grpcMessage(doors[door].message)),
        encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
      );
      if (streamId % 100 !== 99) {
        continue;
      }
      const { endStream } = frameFlags;
      await client.frame((frame) => frame.streamId === streamId && (frame.flags & endStream) !== 0);
    }
    expect(client.frames.some(({ type }) => type === frameTypes.goAway)).toBe(false);
  });

  const fixtureBytes = (name: string) =>
    readFileSync(new URL(`../../wire/src/compression/fixtures/${name}`, import.meta.url));

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
    ["deflate", deflateSync],
    ["snappy", snappyStored],
    ["lz4", lz4Stored],
  ])("a message in %s is kept, and a bomb is refused", async (encoding, pack) => {
    const { client, fixture } = await openDoor(door);
    const send = (streamId: number, body: Uint8Array) =>
      client.send(
        headersFrame(streamId, fieldsOf(door, { name: "grpc-encoding", value: encoding })),
        dataFrame(streamId, grpcMessage(body, 1)),
      );
    send(1, pack(doors[door].message));
    expect((await client.answer(1)).fields["grpc-status"]).toBe("0");
    expect(await fixture.spans()).toHaveLength(1);
    if (encoding === "snappy" || encoding === "lz4") {
      send(3, fixtureBytes(encoding === "snappy" ? "text.sz" : "text.lz4").subarray(0, 30));
      expect((await client.answer(3)).fields["grpc-status"]).toBe("13");
      return;
    }
    send(3, pack(Buffer.alloc(maxMessageBytes + 1)));
    expect((await client.answer(3)).fields["grpc-status"]).toBe("8");
  });

  test("an unknown encoding is UNIMPLEMENTED", async () => {
    const { client } = await openDoor(door);
    client.send(
      headersFrame(1, fieldsOf(door, { name: "grpc-encoding", value: "br" })),
      dataFrame(1, grpcMessage("x", 1), frameFlags.endStream),
    );
    expect((await client.answer(1)).fields["grpc-status"]).toBe("12");
  });
});

test("GOAWAY says why", async () => {
  const { client } = await openDoor("OTLP over gRPC");
  client.send(...Array.from({ length: 2_000 }, () => encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8))));
  expect(await client.goAwayCode()).toBe(errorCodes.enhanceYourCalm);
});

/** A snappy block of one literal. */
function snappyStored(bytes: Uint8Array): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) {
      break;
    }
  }
  return Buffer.concat([
    Buffer.of(...length, 61 << 2, (bytes.length - 1) & 255, (bytes.length - 1) >> 8),
    bytes,
  ]);
}

/** An LZ4 frame of one block as it is. */
function lz4Stored(bytes: Uint8Array): Buffer {
  const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0]);
  head.writeUInt32LE((0x8000_0000 + bytes.length) >>> 0, 7);
  return Buffer.concat([head, bytes, Buffer.alloc(4)]);
}
