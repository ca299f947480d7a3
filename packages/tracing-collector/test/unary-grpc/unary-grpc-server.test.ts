import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import fc from "fast-check";
import {
  clientPreface,
  encodeFrame,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameTypes,
  type HeaderField,
  settingIds,
} from "http-protocols/http2";
import { afterEach, describe, expect, test } from "vitest";
import { MessageBuffers } from "../../src/receivers/unary-grpc/message-buffers.ts";
import {
  UnaryGrpcServer,
  type UnaryGrpcServerSettings,
} from "../../src/receivers/unary-grpc/unary-grpc-server.ts";
import type { UnaryMethod } from "../../src/receivers/unary-grpc/unary-method.ts";
import { UnfinishedBytes } from "../../src/receivers/unfinished-bytes.ts";
import { callFields, dataFrame, grpcMessage, headersFrame, RawClient } from "./raw-client.ts";

/** Milliseconds that a busy machine may need. */
const patience = { timeout: 60_000 };

const maxMessageBytes = 200_000;
const path = "/test.Echo/Echo";
const begun = Buffer.concat([clientPreface, encodeSettings(new Map())]);
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

/** Answers each message with itself, once `gate` is open. */
async function openServer(
  more: Partial<UnaryGrpcServerSettings> & {
    gate?: Promise<void>;
    seen?: (fields: readonly HeaderField[]) => void;
  } = {},
) {
  const buffers = new MessageBuffers(new UnfinishedBytes(1_000_000));
  const echo: UnaryMethod = {
    async call(message, fields) {
      more.seen?.(fields);
      const own = Buffer.from(message);
      await more.gate;
      if (own.toString() === "fail") {
        throw new Error("grün % ok");
      }
      return own;
    },
    failureOf: (error) => ({
      code: status.DATA_LOSS,
      details: error instanceof Error ? error.message : "",
      statusDetails: Buffer.from("details"),
    }),
  };
  const server = new UnaryGrpcServer({ methods: new Map([[path, echo]]), buffers, maxMessageBytes, ...more });
  server.server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  closers.push(() => server.stop(AbortSignal.abort()));
  const { port } = server.server.address() as AddressInfo;
  return { server, buffers, port };
}

function openClient(port: number, settings?: ReadonlyMap<number, number>): RawClient {
  const client = RawClient.begun(port, settings);
  closers.push(() => void client.socket.destroy());
  return client;
}

async function answerTo(...frames: Uint8Array[]) {
  const { port } = await openServer();
  const client = openClient(port);
  client.send(...frames);
  return await client.answer(1);
}

function grpcClient(port: number, options = {}): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  closers.push(() => client.close());
  return client;
}

function call(client: Client, message: Buffer, metadata = new Metadata()): Promise<Buffer | ServiceError> {
  return new Promise((resolve) => {
    const bytes = (value: Buffer) => value;
    client.makeUnaryRequest(path, bytes, bytes, message, metadata, (error, answer) =>
      resolve(error ?? (answer as Buffer)),
    );
  });
}

describe("UnaryGrpcServer, called by grpc-js", () => {
  test("answers many calls side by side, messages of every size", async () => {
    const { port, buffers } = await openServer();
    const client = grpcClient(port);
    const messages = Array.from({ length: 300 }, (_, index) => Buffer.alloc((index * 700) % 190_000, index));
    const answers = await Promise.all(messages.map((message) => call(client, message)));
    for (const [index, answer] of answers.entries()) {
      expect(messages[index]?.equals(answer as Buffer), `message ${index}`).toBe(true);
    }
    expect(buffers.bytes).toBe(0);
  });

  test("takes compressed messages", async () => {
    const { port } = await openServer();
    const client = grpcClient(port, { "grpc.default_compression_algorithm": 2 });
    expect(await call(client, Buffer.from("hello"))).toEqual(Buffer.from("hello"));
  });

  test("gives metadata to the method, and failures with details to the client", async () => {
    const seen: HeaderField[] = [];
    const { port } = await openServer({ seen: (fields) => seen.push(...fields) });
    const metadata = new Metadata();
    metadata.add("x-tenant", "one");
    metadata.add("x-tenant", "two");
    const answer = (await call(grpcClient(port), Buffer.from("fail"), metadata)) as ServiceError;
    expect(seen).toContainEqual({ name: "x-tenant", value: expect.stringMatching(/^one/) });
    expect([answer.code, answer.details]).toEqual([status.DATA_LOSS, "grün % ok"]);
    expect(answer.metadata.get("grpc-status-details-bin")).toEqual([Buffer.from("details")]);
  });

  test("lets calls under way end when it stops, and takes no more", async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { port, server } = await openServer({ gate: gate.promise, seen: () => begun.resolve() });
    const client = grpcClient(port);
    const underWay = call(client, Buffer.from("x"));
    await begun.promise;
    const stopped = server.stop(new AbortController().signal);
    gate.resolve();
    expect(await underWay).toEqual(Buffer.from("x"));
    await stopped;
    expect(((await call(client, Buffer.from("y"))) as ServiceError).code).toBe(status.UNAVAILABLE);
  });

  test("asks connections to leave at their age, without harm to a call", async () => {
    const gate = Promise.withResolvers<void>();
    const { port } = await openServer({ maxConnectionAgeMs: 500, gate: gate.promise });
    const client = openClient(port);
    client.send(headersFrame(1, callFields()), dataFrame(1, grpcMessage("x")));
    expect(await client.goAwayCode()).toBe(errorCodes.noError);
    gate.resolve();
    expect((await client.answer(1)).fields["grpc-status"]).toBe("0");
    await client.closed();
  });

  test("cuts calls that outlive the grace of their connection's age", async () => {
    const { port } = await openServer({
      maxConnectionAgeMs: 10,
      maxConnectionAgeGraceMs: 10,
      gate: new Promise(() => {}),
    });
    const client = openClient(port);
    client.send(headersFrame(1, callFields()), dataFrame(1, grpcMessage("x")));
    await client.closed();
  });
});

describe("UnaryGrpcServer, frame by frame", () => {
  test("takes a request byte by byte, padded, with priority, over CONTINUATION, ended by trailers", async () => {
    const { port, buffers } = await openServer();
    const client = new RawClient(port);
    closers.push(() => void client.socket.destroy());
    const block = encodeHeaders(callFields());
    const message = grpcMessage("hello");
    const priority = Buffer.of(0, 0, 0, 0, 16);
    const request = Buffer.concat([
      clientPreface,
      encodeSettings(new Map()),
      encodeFrame(
        frameTypes.headers,
        frameFlags.padded | frameFlags.priority,
        1,
        Buffer.concat([Buffer.of(2), priority, block.subarray(0, 20), Buffer.alloc(2)]),
      ),
      encodeFrame(frameTypes.continuation, 0, 1, block.subarray(20, 21)),
      encodeFrame(frameTypes.continuation, frameFlags.endHeaders, 1, block.subarray(21)),
      encodeFrame(99, 0xff, 7, Buffer.from("unknown")),
      dataFrame(1, Buffer.concat([Buffer.of(1), message.subarray(0, 3), Buffer.of(0)]), frameFlags.padded),
      dataFrame(1, message.subarray(3), 0),
      headersFrame(1, [{ name: "checksum", value: "1" }], frameFlags.endStream),
    ]);
    for (const byte of request) {
      client.socket.write(Buffer.of(byte));
    }
    const { fields, data } = await client.answer(1);
    expect(fields).toMatchObject({
      ":status": "200",
      "content-type": "application/grpc",
      "grpc-status": "0",
    });
    expect(data).toEqual(message);
    expect(buffers.bytes).toBe(0);
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["zstd", zstdCompressSync],
  ])("undoes %s, within the limit", async (encoding, compress) => {
    const fields = callFields({ name: "grpc-encoding", value: encoding });
    const good = await answerTo(headersFrame(1, fields), dataFrame(1, grpcMessage(compress("hello"), 1)));
    expect(good.data).toEqual(grpcMessage("hello"));
    const bomb = compress(Buffer.alloc(maxMessageBytes + 1));
    const bad = await answerTo(headersFrame(1, fields), dataFrame(1, grpcMessage(bomb, 1)));
    expect(bad.fields).toMatchObject({
      "grpc-status": String(status.RESOURCE_EXHAUSTED),
      "grpc-message": `Received message that decompresses to a size larger than ${maxMessageBytes}`,
    });
    const broken = await answerTo(headersFrame(1, fields), dataFrame(1, grpcMessage("no", 1)));
    expect(broken.fields["grpc-status"]).toBe(String(status.INTERNAL));
  });

  test.each([
    ["no message", Buffer.alloc(0), status.INTERNAL, "the call ends before its message"],
    ["half a prefix", Buffer.of(0, 0), status.INTERNAL, "the call ends before its message"],
    ["a length that lies", Buffer.of(0, 0, 0, 0, 9, 1), status.INTERNAL, "message of 9 bytes ends after 1"],
    [
      "two messages",
      Buffer.concat([grpcMessage("a"), grpcMessage("b")]),
      status.INTERNAL,
      "a unary call has more than one message",
    ],
    ["an unknown flag", grpcMessage("a", 3), status.INTERNAL, "message begins with the unknown flag 3"],
    [
      "compression without a name",
      grpcMessage("a", 1),
      status.INTERNAL,
      "a message is marked as compressed, the call names no encoding",
    ],
    [
      "a length over the limit",
      Buffer.of(0, 0xff, 0xff, 0xff, 0xff),
      status.RESOURCE_EXHAUSTED,
      `Received message larger than max (4294967295 vs ${maxMessageBytes})`,
    ],
  ])("refuses %s", async (_, body, code, details) => {
    const { fields } = await answerTo(headersFrame(1, callFields()), dataFrame(1, body));
    expect(fields).toMatchObject({ ":status": "200", "grpc-status": String(code), "grpc-message": details });
  });

  test("answers a method or an encoding that it does not have before the request ends", async () => {
    const unknown = callFields().map((field) =>
      field.name === ":path" ? { ...field, value: "/a/B" } : field,
    );
    expect((await answerTo(headersFrame(1, unknown))).fields).toMatchObject({
      "grpc-status": String(status.UNIMPLEMENTED),
      "grpc-message": "The server does not implement the method /a/B",
    });
    const encoded = callFields({ name: "grpc-encoding", value: "br" });
    expect((await answerTo(headersFrame(1, encoded))).fields).toMatchObject({
      "grpc-status": String(status.UNIMPLEMENTED),
      "grpc-accept-encoding": "identity,deflate,gzip,zstd",
    });
  });

  test("refuses a timeout that is none", async () => {
    const fields = callFields({ name: "grpc-timeout", value: "soon" });
    expect((await answerTo(headersFrame(1, fields))).fields).toMatchObject({
      "grpc-status": String(status.INTERNAL),
      "grpc-message": "Invalid grpc-timeout value soon",
    });
  });

  test("answers what is no gRPC as HTTP", async () => {
    const get = callFields().map((field) => (field.name === ":method" ? { ...field, value: "GET" } : field));
    expect((await answerTo(headersFrame(1, get, frameFlags.endStream))).fields).toMatchObject({
      ":status": "405",
      allow: "POST",
    });
    const json = callFields().map((field) =>
      field.name === "content-type" ? { ...field, value: "application/json" } : field,
    );
    const { fields, data } = await answerTo(headersFrame(1, json), dataFrame(1, Buffer.from("{}")));
    expect(fields[":status"]).toBe("415");
    expect(data.toString()).toContain("application/grpc");
    const long = callFields(
      { name: "x", value: "y".repeat(15_000) },
      { name: "z", value: "y".repeat(1_500) },
    );
    const block = encodeHeaders(long);
    const large = await answerTo(
      encodeFrame(frameTypes.headers, frameFlags.endStream, 1, block.subarray(0, 16_000)),
      encodeFrame(frameTypes.continuation, frameFlags.endHeaders, 1, block.subarray(16_000)),
    );
    expect(large.fields[":status"]).toBe("431");
  });

  test("sends no more than the client's windows allow", async () => {
    const { port } = await openServer();
    const client = openClient(port, new Map([[settingIds.initialWindowSize, 0]]));
    client.send(headersFrame(1, callFields()), dataFrame(1, grpcMessage("hello")));
    await client.frame(({ type }) => type === frameTypes.headers);
    client.send(encodeWindowUpdate(1, 3));
    const first = await client.frame(({ type }) => type === frameTypes.data);
    expect(first.payload.length).toBe(3);
    client.send(encodeSettings(new Map([[settingIds.initialWindowSize, 100]])));
    expect((await client.answer(1)).data).toEqual(grpcMessage("hello"));
  });

  test("gives the windows back while a long message comes", async () => {
    const { port } = await openServer();
    const client = openClient(port);
    const message = grpcMessage(Buffer.alloc(maxMessageBytes, 7));
    // Eight times over: more than the connection's first window of 64 KiB, and than a stream's.
    for (let streamId = 1; streamId < 16; streamId += 2) {
      client.send(headersFrame(streamId, callFields()));
      for (let at = 0; at < message.length; at += 16_384) {
        const piece = message.subarray(at, at + 16_384);
        client.send(dataFrame(streamId, piece, at + 16_384 >= message.length ? frameFlags.endStream : 0));
      }
      client.send(encodeWindowUpdate(0, message.length), encodeWindowUpdate(streamId, message.length));
    }
    expect((await client.answer(15)).data.equals(message)).toBe(true);
  });

  test("refuses calls over the limit of one connection, and messages over that of all", async () => {
    const { port, buffers } = await openServer({ gate: new Promise(() => {}) });
    const client = openClient(port);
    // Each holds 64 KiB of 1,000,000.
    for (let streamId = 1; streamId <= 31; streamId += 2) {
      client.send(headersFrame(streamId, callFields()), dataFrame(streamId, Buffer.of(0), 0));
    }
    const { fields } = await client.answer(31);
    expect(fields["grpc-status"]).toBe(String(status.RESOURCE_EXHAUSTED));
    const details = Buffer.from(fields["grpc-status-details-bin"] ?? "", "base64");
    expect(details.toString("latin1"), "a hint when to come again").toContain("google.rpc.RetryInfo");
    expect(buffers.bytes).toBe(15 * 65_536);
    for (let streamId = 33; streamId <= 233; streamId += 2) {
      client.send(headersFrame(streamId, callFields()));
    }
    expect(await client.resetCode(233)).toBe(errorCodes.refusedStream);
    client.socket.destroy();
    await expect.poll(() => buffers.bytes, patience).toBe(0);
  });

  test.each<[string, number, Uint8Array[]]>([
    ["a frame before SETTINGS", errorCodes.protocolError, []],
    ["DATA on a stream that is not open", errorCodes.protocolError, [dataFrame(5, Buffer.of(1))]],
    ["HEADERS on an even stream", errorCodes.protocolError, [headersFrame(2, callFields())]],
    ["CONTINUATION alone", errorCodes.protocolError, [encodeFrame(9, 4, 1, Buffer.alloc(1))]],
    [
      "a frame inside a header block",
      errorCodes.protocolError,
      [encodeFrame(1, 0, 1, Buffer.alloc(0)), encodeWindowUpdate(0, 1)],
    ],
    [
      "CONTINUATION without end",
      errorCodes.enhanceYourCalm,
      [encodeFrame(1, 0, 1, Buffer.alloc(0)), ...Array(20).fill(encodeFrame(9, 0, 1, Buffer.alloc(0)))],
    ],
    ["a header block that is none", errorCodes.compressionError, [encodeFrame(1, 4, 1, Buffer.of(0x80))]],
    ["PUSH_PROMISE", errorCodes.protocolError, [encodeFrame(5, 4, 1, Buffer.alloc(4))]],
    ["PING of 7 bytes", errorCodes.frameSizeError, [encodeFrame(6, 0, 0, Buffer.alloc(7))]],
    ["a frame over 16 KiB", errorCodes.frameSizeError, [encodeFrame(6, 0, 0, Buffer.alloc(16_385))]],
    ["padding over the frame", errorCodes.protocolError, [encodeFrame(1, 12, 1, Buffer.of(9, 1))]],
    ["WINDOW_UPDATE of 0", errorCodes.protocolError, [encodeWindowUpdate(0, 0)]],
    [
      "a window over 2^31",
      errorCodes.flowControlError,
      [encodeWindowUpdate(0, 0x7fff_ffff), encodeWindowUpdate(0, 0x7fff_ffff)],
    ],
    [
      "calls begun and broken off without end",
      errorCodes.enhanceYourCalm,
      Array.from({ length: 1_100 }, (_, index) =>
        Buffer.concat([headersFrame(2 * index + 1, callFields()), encodeRstStream(2 * index + 1, 8)]),
      ),
    ],
  ])("ends the connection for %s", async (what, code, frames) => {
    const { port } = await openServer();
    const client = new RawClient(port);
    closers.push(() => void client.socket.destroy());
    client.send(
      clientPreface,
      what === "a frame before SETTINGS" ? encodeWindowUpdate(0, 1) : encodeSettings(new Map()),
      ...frames,
    );
    expect(await client.goAwayCode()).toBe(code);
    await client.closed();
  });

  test("ends a connection that speaks something else", async () => {
    const { port } = await openServer();
    const client = new RawClient(port);
    client.socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await client.goAwayCode()).toBe(errorCodes.protocolError);
    await client.closed();
  });

  test("cuts a client that asks and does not read", async () => {
    const { port } = await openServer();
    const client = openClient(port);
    client.socket.pause();
    const pings = Buffer.concat(Array(4_000).fill(encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8))));
    // As long as the system's buffers take them.
    for (let sent = 0; sent < 2_000 && !client.socket.destroyed; sent++) {
      if (!client.socket.write(pings)) {
        await Promise.race([once(client.socket, "drain"), once(client.socket, "close")]).catch(() => {});
      }
    }
    client.socket.resume();
    await client.closed();
  });

  test.each<[string, Buffer, Buffer?]>([
    ["no preface", Buffer.alloc(0)],
    ["half a preface", clientPreface.subarray(0, 10)],
    [
      "a header block without end",
      Buffer.concat([begun, encodeFrame(frameTypes.headers, 0, 1, Buffer.of(0x82))]),
      encodeFrame(frameTypes.continuation, 0, 1, Buffer.of(0x82)),
    ],
    ["half a frame", Buffer.concat([begun, headersFrame(1, callFields()).subarray(0, 20)])],
  ])("ends a connection that sends %s, and no idle one", async (_, bytes, further) => {
    const { port } = await openServer({ timeLimits: { beginMs: 400, stallMs: 400 } });
    const idle = openClient(port);
    await idle.frame(({ type, flags }) => type === frameTypes.settings && flags === frameFlags.ack);
    const late = new RawClient(port);
    closers.push(() => void late.socket.destroy());
    late.send(bytes);
    const drip = setInterval(() => further && late.send(further), 20);
    closers.push(() => clearInterval(drip));
    await late.closed();
    idle.send(headersFrame(1, callFields()), dataFrame(1, grpcMessage("y")));
    expect((await idle.answer(1)).data).toEqual(grpcMessage("y"));
  });

  test.each<[string, HeaderField[]]>([
    ["a name in upper case", [...callFields(), { name: "X", value: "1" }]],
    ["a field of HTTP/1 connections", [...callFields(), { name: "connection", value: "close" }]],
    ["a line break in a value", [...callFields(), { name: "x", value: "a\r\nb: c" }]],
    ["a second path", [...callFields(), { name: ":path", value: "/" }]],
    ["an unknown pseudo field", [{ name: ":x", value: "1" }, ...callFields()]],
    ["no path", callFields().filter(({ name }) => name !== ":path")],
    ["another te", [...callFields(), { name: "te", value: "gzip" }]],
    ["a wrong content-length", [...callFields(), { name: "content-length", value: "1" }]],
  ])("breaks off a call with %s", async (_, fields) => {
    const { port, buffers } = await openServer();
    const client = openClient(port);
    client.send(headersFrame(1, fields), dataFrame(1, grpcMessage("x")));
    expect(await client.resetCode(1)).toBe(errorCodes.protocolError);
    // The connection goes on.
    client.send(headersFrame(3, callFields()), dataFrame(3, grpcMessage("y")));
    expect((await client.answer(3)).data).toEqual(grpcMessage("y"));
    expect(buffers.bytes).toBe(0);
  });

  test("survives any frames", async () => {
    const { port, buffers } = await openServer();
    const frame = fc
      .record({
        type: fc.integer({ min: 0, max: 10 }),
        flags: fc.constantFrom(0, 1, 4, 5, 8, 12, 0x24, 0x2d, 0xff),
        streamId: fc.constantFrom(0, 1, 1, 2, 3, 5),
        payload: fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc.constant(encodeHeaders(callFields())),
          fc.constant(grpcMessage("x")),
        ),
      })
      .map(({ type, flags, streamId, payload }) => encodeFrame(type, flags, streamId, payload));
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 30 }), async (frames) => {
        const client = RawClient.begun(port);
        client.send(...frames);
        client.socket.end();
        await client.closed();
      }),
      { numRuns: 300 },
    );
    expect(await call(grpcClient(port), Buffer.from("still here"))).toEqual(Buffer.from("still here"));
    await expect.poll(() => buffers.bytes, patience).toBe(0);
  });
});
