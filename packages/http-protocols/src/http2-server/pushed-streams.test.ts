import { Socket } from "node:net";
import { expect, test } from "vitest";
import { decodeHeaderBlock } from "../http2/decode-header-block.ts";
import { FrameWriter } from "../http2/frame-writer.ts";
import { settingIds } from "../http2/frames.ts";
import { HpackDecoder } from "../http2/hpack-decoder.ts";
import { HpackEncoder } from "../http2/hpack-encoder.ts";
import { type PromisedRequest, promisedRequest } from "./promised-request.ts";
import { PushedStreams } from "./pushed-streams.ts";

function make() {
  const socket = new Socket();
  const written: Buffer[] = [];
  socket.write = (piece: Uint8Array | string) => {
    written.push(Buffer.from(piece as Uint8Array));
    return true;
  };
  const writer = new FrameWriter(socket, () => {});
  return { writer, written, pushed: new PushedStreams(writer, new HpackEncoder()) };
}

function request(headers: string[] = []): PromisedRequest {
  const made = promisedRequest({
    scheme: "https",
    authority: "example.com",
    method: "GET",
    target: "/a",
    headers,
  });
  if (made === undefined) {
    throw new Error("no request");
  }
  return made;
}

test("writes promises of even, growing numbers, with CONTINUATION frames for long ones", () => {
  const { pushed, writer, written } = make();
  expect(pushed.promise(5, request(["X-Long", "x".repeat(20_000), "Authorization", "secret"]))).toBe(2);
  expect(pushed.promise(7, request())).toBe(4);
  writer.flush();
  const bytes = Buffer.concat(written);
  const frames: { type: number; flags: number; streamId: number; payload: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    const payload = bytes.subarray(at + 9, at + 9 + length);
    frames.push({
      type: bytes[at + 3] ?? 0,
      flags: bytes[at + 4] ?? 0,
      streamId: bytes.readUInt32BE(at + 5),
      payload,
    });
    at += 9 + length;
  }
  expect(frames.map(({ type, flags, streamId }) => [type, flags, streamId])).toEqual([
    [5, 0, 5],
    [9, 4, 5],
    [5, 4, 7],
  ]);
  const [first, rest, second] = frames.map((each) => each.payload);
  expect([first?.readUInt32BE(0), second?.readUInt32BE(0)]).toEqual([2, 4]);
  const decoder = new HpackDecoder({ maxListBytes: 100_000 });
  const block = Buffer.concat([first?.subarray(4) ?? Buffer.of(), rest ?? Buffer.of()]);
  expect(decodeHeaderBlock(decoder, block)?.map(({ name, value }) => [name, value.slice(0, 12)])).toEqual([
    [":method", "GET"],
    [":scheme", "https"],
    [":authority", "example.com"],
    [":path", "/a"],
    ["x-long", "xxxxxxxxxxxx"],
    ["authorization", "secret"],
  ]);
  expect([0, 1, 2, 4, 5, 6].filter((id) => pushed.isPromised(id))).toEqual([2, 4]);
});

test("has room for what the client allows, as long as it takes some", () => {
  const { pushed, writer } = make();
  pushed.apply(new Map([[settingIds.maxConcurrentStreams, 1]]));
  pushed.promise(1, request());
  expect([pushed.size, pushed.hasRoom]).toEqual([1, false]);
  pushed.ended();
  expect([pushed.size, pushed.hasRoom]).toEqual([0, true]);
  pushed.apply(new Map([[settingIds.maxConcurrentStreams, 0]]));
  expect(pushed.hasRoom).toBe(false);
  pushed.apply(new Map([[settingIds.maxConcurrentStreams, 9]]));
  pushed.apply(new Map([[settingIds.enablePush, 0]]));
  expect(pushed.hasRoom).toBe(false);
  pushed.apply(new Map([[settingIds.enablePush, 1]]));
  for (let count = 0; count < 100; count++) {
    pushed.refused();
  }
  expect(pushed.hasRoom).toBe(false);
  pushed.taken();
  expect(pushed.hasRoom).toBe(true);
  writer.frame(Buffer.alloc(64 * 1024));
  expect(pushed.hasRoom).toBe(false);
});

test.each([
  ["another method", "POST", "/a", []],
  ["no path", "GET", "a", []],
  ["an asterisk", "GET", "*", []],
  ["a space in the path", "GET", "/a b", []],
  ["a field of a body", "GET", "/a", ["Content-Length", "0"]],
  ["a host", "GET", "/a", ["Host", "example.com"]],
  ["a pseudo field", "GET", "/a", [":path", "/b"]],
  ["a field of the connection", "GET", "/a", ["Connection", "close"]],
  ["a newline in a value", "GET", "/a", ["X-A", "b\r\nc: d"]],
])("promises no request with %s", (_, method, target, headers) => {
  expect(
    promisedRequest({ scheme: "https", authority: "example.com", method, target, headers }),
  ).toBeUndefined();
});
