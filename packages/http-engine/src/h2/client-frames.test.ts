import { Socket } from "node:net";
import { errorCodes, FloodGuard, HpackEncoder, Http2Error } from "http-protocols/http2";
import { expect, test } from "vitest";
import { ClientFrames, type FrameOwner } from "./client-frames.ts";
import { FrameWriter } from "./frame-writer.ts";
import type { H2Stream } from "./h2-stream.ts";
import { PushedStreams } from "./pushed-streams.ts";
import { connectionWindowBytes, ReceiveWindow, streamWindowBytes } from "./receive-window.ts";
import { SendScheduler } from "./send-scheduler.ts";
import { StreamTable } from "./stream-table.ts";

type Fields = readonly (readonly [name: string, value: string])[];

const getFields: Fields = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/a"],
];

/** Frames of a connection whose owner writes down what it is asked. */
function make() {
  const socket = new Socket();
  const written: Buffer[] = [];
  socket.write = (piece: Uint8Array | string) => {
    written.push(Buffer.from(piece as Uint8Array));
    return true;
  };
  const writer = new FrameWriter(socket, () => {});
  const encoder = new HpackEncoder();
  const guard = new FloodGuard();
  const scheduler = new SendScheduler(writer, { dataSent() {}, sendTrailers() {} });
  const streams = new StreamTable(writer, guard, scheduler);
  const asked: string[] = [];
  const owner: FrameOwner = {
    socket,
    isLeaving: false,
    takesPushes: false,
    sendHeaders: (streamId, [, status]) => asked.push(`headers ${streamId} ${status}`),
    tunnelOpened() {},
    queued() {},
    taken() {},
    breakOff(stream, code) {
      streams.remove(stream, "abandoned");
      asked.push(`break off ${stream.id} ${code}`);
    },
    broken() {},
    finished() {},
    push: () => false,
    streamGone: (streamId) => asked.push(`gone ${streamId}`),
    endWhenIdle: () => asked.push("end when idle"),
  };
  const frames = new ClientFrames(owner, 16 * 1024, {
    ...{ writer, encoder, guard, streams, scheduler },
    window: new ReceiveWindow(writer),
    pushed: new PushedStreams(writer, encoder),
  });
  const client = new HpackEncoder();
  const headers = (streamId: number, endsStream: boolean, fields: Fields) => {
    client.begin();
    for (const [name, value] of fields) {
      client.add(name, value);
    }
    frames.headers(streamId, Buffer.from(client.end()), endsStream);
  };
  /** Type, stream and, of RST_STREAM, the code of each frame that went out. */
  const sent = () => {
    writer.flush();
    const bytes = Buffer.concat(written.splice(0));
    const found: number[][] = [];
    for (let at = 0; at < bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
      const type = bytes[at + 3] ?? 0;
      found.push([type, bytes.readUInt32BE(at + 5), ...(type === 3 ? [bytes.readUInt32BE(at + 9)] : [])]);
    }
    return found;
  };
  return { frames, owner, streams, headers, asked, sent };
}

const rstStream = 3;
const codeOf = (act: () => void): number | undefined => {
  try {
    act();
  } catch (error) {
    return error instanceof Http2Error ? error.code : undefined;
  }
  return undefined;
};

test("a head opens a stream, which is handed out once", () => {
  const { frames, headers, streams } = make();
  headers(1, true, getFields);
  expect(frames.opened.map(({ id, method, target }) => [id, method, target])).toEqual([[1, "GET", "/a"]]);
  expect(frames.takeOpened()).toHaveLength(1);
  expect([frames.takeOpened(), streams.size, streams.lastId]).toEqual([[], 1, 1]);
});

test.each<[string, Fields]>([
  ["without a path", getFields.slice(0, 3)],
  ["that ends and declares a body", [...getFields, ["content-length", "3"]]],
])("a head %s is sent back, and opens nothing", (_name, fields) => {
  const { headers, streams, sent } = make();
  headers(1, true, fields);
  expect([streams.size, sent()]).toEqual([0, [[rstStream, 1, errorCodes.protocolError]]]);
});

test("a head with too many fields is answered 431", () => {
  const { headers, asked, streams } = make();
  headers(1, true, [...getFields, ...Array.from({ length: 2_000 }, () => ["a", "b"] as const)]);
  expect([asked, streams.size]).toEqual([["headers 1 431"], 0]);
});

test("one stream more than the client was told is refused", () => {
  const { headers, streams, sent } = make();
  for (let index = 0; index <= 250; index++) {
    headers(1 + 2 * index, false, getFields);
  }
  expect([streams.size, sent()]).toEqual([250, [[rstStream, 501, errorCodes.refusedStream]]]);
});

test("a connection that is leaving opens no streams", () => {
  const { frames, owner, headers, streams, asked } = make();
  frames.goAway(0);
  headers(1, true, getFields);
  expect([owner.isLeaving, streams.size, asked]).toEqual([true, 0, ["end when idle"]]);
});

test("a body over the window of its stream, or over what it declares, breaks it off", () => {
  const { frames, headers, asked } = make();
  headers(1, false, getFields);
  for (let bytes = 0; bytes <= streamWindowBytes; bytes += 16_384) {
    frames.data(1, Buffer.alloc(16_384), 16_384, false);
  }
  headers(3, false, [...getFields, ["content-length", "2"]]);
  frames.data(3, Buffer.alloc(3), 3, false);
  expect(asked).toEqual([
    `break off 1 ${errorCodes.flowControlError}`,
    `break off 3 ${errorCodes.protocolError}`,
  ]);
});

test("bodies over the window of the connection end it", () => {
  const { frames, headers } = make();
  for (const id of [1, 3, 5, 7, 9]) {
    headers(id, false, getFields);
  }
  const code = codeOf(() => {
    for (let bytes = 0; bytes <= connectionWindowBytes; bytes += 16_384) {
      frames.data(1 + 2 * Math.floor(bytes / streamWindowBytes), Buffer.alloc(16_384), 16_384, false);
    }
  });
  expect(code).toBe(errorCodes.flowControlError);
});

test("frames of a request that is over break its stream off; those of none end the connection", () => {
  const { frames, headers, asked } = make();
  headers(1, true, getFields);
  frames.data(1, Buffer.alloc(1), 1, false);
  expect(asked).toEqual([`break off 1 ${errorCodes.streamClosed}`]);
  for (const act of [
    () => frames.data(3, Buffer.alloc(1), 1, false),
    () => frames.reset(3),
    () => frames.windowUpdate(3, 1),
    () => headers(2, true, getFields),
  ]) {
    expect(codeOf(act)).toBe(errorCodes.protocolError);
  }
});

test("trailers end a request; what is none breaks it off", () => {
  const { frames, headers, asked } = make();
  headers(1, false, getFields);
  headers(1, true, [["x-sum", "1"]]);
  headers(3, false, getFields);
  headers(3, false, [["x-sum", "1"]]);
  const [first] = frames.takeOpened() as [H2Stream];
  expect([first.requestEnded, first.requestTrailers, asked]).toEqual([
    true,
    ["x-sum", "1"],
    [`break off 3 ${errorCodes.protocolError}`],
  ]);
});

test("a reset tells the stream, and frees its place", () => {
  const { frames, headers, streams, asked } = make();
  headers(1, true, getFields);
  frames.reset(1);
  expect([frames.takeOpened()[0]?.closed, streams.size, asked]).toEqual([true, 0, ["gone 1"]]);
});

test.each<[string, (frames: ClientFrames, index: number) => void]>([
  ["PING", (frames) => frames.ping(Buffer.alloc(8))],
  ["SETTINGS", (frames) => frames.settings(new Map())],
  ["WINDOW_UPDATE", (frames) => frames.windowUpdate(0, 1)],
  ["frames of no known type", (frames) => frames.idleFrame()],
])("a flood of %s ends the connection", (_name, send) => {
  const { frames } = make();
  const code = codeOf(() => {
    for (let index = 0; index < 1_000_000; index++) {
      send(frames, index);
    }
  });
  expect(code).toBe(errorCodes.enhanceYourCalm);
});

test("a flood of requests that are reset at once ends the connection", () => {
  const { frames, headers } = make();
  const code = codeOf(() => {
    for (let id = 1; id < 2_000_000; id += 2) {
      headers(id, true, getFields);
      frames.takeOpened();
      frames.reset(id);
    }
  });
  expect(code).toBe(errorCodes.enhanceYourCalm);
});
