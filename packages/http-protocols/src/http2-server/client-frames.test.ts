import { Socket } from "node:net";
import { expect, test } from "vitest";
import type { HeaderList } from "../header-list.ts";
import { FloodGuard } from "../http2/flood-guard.ts";
import { FrameWriter } from "../http2/frame-writer.ts";
import { errorCodes } from "../http2/frames.ts";
import { HpackDecoder } from "../http2/hpack-decoder.ts";
import { HpackEncoder } from "../http2/hpack-encoder.ts";
import { Http2Error } from "../http2/http2-error.ts";
import { ReceiveWindow, streamWindowBytes } from "../http2/receive-window.ts";
import { readTrailerFields } from "../http2/received-fields.ts";
import { SendQueue } from "../http2/send-queue.ts";
import { SendScheduler } from "../http2/send-scheduler.ts";
import { ClientFrames, type FrameOwner } from "./client-frames.ts";
import { PushedStreams } from "./pushed-streams.ts";
import { type H2RequestHead, readRequestFields } from "./request-fields.ts";
import type { ServerStream, StreamWindows } from "./server-stream.ts";
import { StreamTable } from "./stream-table.ts";

type Fields = readonly (readonly [name: string, value: string])[];

const getFields: Fields = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/a"],
];

const windowBytes = 4 * 1024 * 1024;

/** A stream that records its calls. */
class TestStream implements ServerStream {
  readonly id: number;
  readonly sending: SendQueue;
  readonly #head: H2RequestHead;
  requestEnded: boolean;
  receiveWindowBytes: number;
  untoldBytes = 0;
  trailers: HeaderList = [];
  receivedBytes = 0;
  lost = "";

  constructor(id: number, head: H2RequestHead, requestEnded: boolean, windows: StreamWindows) {
    this.id = id;
    this.#head = head;
    this.requestEnded = requestEnded;
    this.sending = new SendQueue(id, windows.send);
    this.receiveWindowBytes = windows.receive;
  }

  get request(): string {
    return `${this.#head.method} ${this.#head.target}`;
  }

  receive(piece: Buffer): boolean {
    this.receivedBytes += piece.length;
    return this.receivedBytes <= (this.#head.contentLength ?? Number.POSITIVE_INFINITY);
  }

  receiveEnd(trailers: HeaderList): boolean {
    this.requestEnded = true;
    this.trailers = trailers;
    return true;
  }

  streamLost(why: string): void {
    this.lost = why;
  }

  streamOver(): void {}

  allSent(): void {}
}

/** Frames of a connection whose owner records its calls. */
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
  const streams = new StreamTable<TestStream>(writer, guard, scheduler);
  const asked: string[] = [];
  const opened: TestStream[] = [];
  const owner: FrameOwner<TestStream> = {
    isLeaving: false,
    openStream(streamId, opening) {
      const { fields, endsStream } = opening;
      if (fields === undefined) {
        asked.push(`too many fields on ${streamId}`);
        return "answered";
      }
      const head = readRequestFields(fields);
      if (typeof head === "string") {
        return "malformed";
      }
      const stream = new TestStream(streamId, head, endsStream, opening);
      opened.push(stream);
      return stream;
    },
    readTrailers: readTrailerFields,
    breakOff(stream, code) {
      streams.remove(stream, "abandoned");
      asked.push(`break off ${stream.id} ${code}`);
    },
    streamGone: (streamId) => asked.push(`gone ${streamId}`),
    endWhenIdle: () => asked.push("end when idle"),
  };
  const frames = new ClientFrames(owner, {
    ...{ writer, encoder, guard, streams, scheduler, maxStreams: 250 },
    decoder: new HpackDecoder({ maxListBytes: 16 * 1024 }),
    window: new ReceiveWindow(writer, windowBytes),
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
  return { frames, owner, streams, opened, headers, asked, sent };
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

test("a head opens one stream", () => {
  const { headers, opened, streams } = make();
  headers(1, true, getFields);
  expect(opened.map(({ id, request, requestEnded }) => [id, request, requestEnded])).toEqual([
    [1, "GET /a", true],
  ]);
  expect([streams.size, streams.lastId]).toEqual([1, 1]);
});

test.each<[string, Fields]>([
  ["without a path", getFields.slice(0, 3)],
  ["with two paths", [...getFields, [":path", "/b"]]],
])("a head %s is sent back, and opens nothing", (_name, fields) => {
  const { headers, streams, sent } = make();
  headers(1, true, fields);
  expect([streams.size, sent()]).toEqual([0, [[rstStream, 1, errorCodes.protocolError]]]);
});

test("a head with too many fields is answered, and opens nothing", () => {
  const { headers, asked, streams } = make();
  headers(1, true, [...getFields, ...Array.from({ length: 2_000 }, () => ["a", "b"] as const)]);
  expect([asked, streams.size]).toEqual([["too many fields on 1"], 0]);
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
    for (let bytes = 0; bytes <= windowBytes; bytes += 16_384) {
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
  const { headers, opened, asked } = make();
  headers(1, false, getFields);
  headers(1, true, [["x-sum", "1"]]);
  headers(3, false, getFields);
  headers(3, false, [["x-sum", "1"]]);
  const [first] = opened as [TestStream];
  expect([first.requestEnded, first.trailers, asked]).toEqual([
    true,
    ["x-sum", "1"],
    [`break off 3 ${errorCodes.protocolError}`],
  ]);
});

test("data and trailers that come after an early answer are dropped", () => {
  const { frames, headers, opened, streams, asked, sent } = make();
  headers(1, false, getFields);
  streams.remove(opened[0] as TestStream, "abandoned");
  frames.data(1, Buffer.from("late"), 4, false);
  headers(1, true, [["x-sum", "1"]]);
  headers(3, true, getFields);
  expect([opened.map(({ id }) => id), asked]).toEqual([[1, 3], []]);
  expect(sent().filter(([type]) => type === 3 || type === 7)).toEqual([]);
});

test("a reset tells the stream, and frees its place", () => {
  const { frames, headers, opened, streams, asked } = make();
  headers(1, true, getFields);
  frames.reset(1);
  expect([opened[0]?.lost, streams.size, asked]).toEqual(["the client closed the stream", 0, ["gone 1"]]);
});

test.each<[string, (frames: ClientFrames<TestStream>, index: number) => void]>([
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
      frames.reset(id);
    }
  });
  expect(code).toBe(errorCodes.enhanceYourCalm);
});
