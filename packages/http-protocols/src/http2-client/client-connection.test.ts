import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  encodeFrame,
  encodeGoAway,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameTypes,
  settingIds,
  settingsAck,
} from "../http2/frames.ts";
import { ScriptedServer } from "../testing/scripted-server.ts";
import { ClientConnection, type ClientConnectionLimits } from "./client-connection.ts";
import type { ClientStream } from "./client-stream.ts";
import type { StreamError } from "./stream-error.ts";

const { data, headers, rstStream, windowUpdate, ping, goAway, continuation } = frameTypes;
const mib = 1024 * 1024;

/** A received response as texts. */
class Told {
  readonly words: string[] = [];
  body = "";
  error: StreamError | undefined;
  /** The listener asks for a pause after this number of bytes. */
  takes = Number.POSITIVE_INFINITY;
  stream: ClientStream | undefined;

  interim(status: number, fields: readonly string[]): void {
    this.words.push(`interim ${status} ${fields.join()}`);
  }

  head(status: number, fields: readonly string[], endsStream: boolean): void {
    this.words.push(`head ${status} ${fields.join()}${endsStream ? " ends" : ""}`);
  }

  data(chunk: Buffer): boolean {
    this.body += chunk.toString("latin1");
    return this.body.length < this.takes;
  }

  end(trailers: readonly string[]): void {
    this.words.push(`end ${trailers.join()}`);
  }

  failed(error: StreamError): void {
    this.error = error;
    this.words.push(`failed: ${error.message}`);
  }
}

function open(limits: Partial<ClientConnectionLimits> = {}) {
  const server = new ScriptedServer();
  const events: string[] = [];
  const connection = new ClientConnection(
    server,
    {
      roomChanged() {},
      leaving: () => events.push("leaving"),
      closed: () => events.push("closed"),
    },
    { maxHeaderBytes: 16_000, windowBytes: 16 * mib, ...limits },
  );
  const ask = (method = "GET", endsStream = true, fields: string[] = []): Told => {
    const told = new Told();
    const pseudo = [":method", method, ":scheme", "http", ":path", "/"];
    told.stream = connection.request({ pseudo, fields, isHead: method === "HEAD", endsStream }, told);
    return told;
  };
  return { server, connection, events, ask };
}

/** An open connection with settings. */
async function begun(
  settings: ReadonlyMap<number, number> = new Map(),
  limits: Partial<ClientConnectionLimits> = {},
) {
  const opened = open(limits);
  opened.server.begin(settings);
  await turn();
  await turn();
  opened.server.frames.splice(0);
  return opened;
}

/** Waits until the server has received all written frames. */
async function settled(): Promise<void> {
  await turn();
  await turn();
  await turn();
}

describe("requests", () => {
  test("begin with the preface, settings and a window, and acknowledge the server's", async () => {
    const { server, connection } = open();
    await settled();
    expect(connection.hasBegun).toBe(false);
    expect(server.firstSettings?.toString("hex")).toBe("000200000000000400100000000600003e80");
    expect(server.of(windowUpdate)[0]?.payload.readUInt32BE(0)).toBe(16 * mib - 65_535);
    server.begin();
    await settled();
    expect(server.frames.at(-1)).toMatchObject({ type: frameTypes.settings, flags: frameFlags.ack });
    expect(connection.hasBegun).toBe(true);
  });

  test("go out before the server's settings, each on a stream of its own, with fields of HTTP/2", async () => {
    const { server, ask } = open();
    ask("GET", true, ["X-A", "1", "Connection", "close", "Cookie", "s=1"]);
    ask("HEAD");
    await settled();
    const heads = server.of(headers);
    expect(heads.map(({ streamId, flags }) => [streamId, flags])).toEqual([
      [1, 5],
      [3, 5],
    ]);
    expect(heads[0]?.fields).toEqual([
      ...[":method", "GET", ":scheme", "http", ":path", "/"],
      ...["x-a", "1", "cookie", "s=1"],
    ]);
  });

  test("have their bodies within both windows, and their trailers behind", async () => {
    const { server, ask } = await begun(new Map([[settingIds.initialWindowSize, 10]]));
    const { stream } = ask("POST", false);
    expect(stream?.write(Buffer.alloc(20, "a"))).toBe(true);
    stream?.end(["X-Sum", "9"]);
    await settled();
    expect(server.of(data).map(({ payload }) => payload.length)).toEqual([10]);
    server.say(encodeWindowUpdate(1, 7));
    await settled();
    server.say(encodeSettings(new Map([[settingIds.initialWindowSize, 13]])));
    await settled();
    expect(server.of(data).map(({ payload }) => payload.length)).toEqual([10, 7, 3]);
    expect(server.frames.at(-1)).toMatchObject({ type: headers, flags: 5, fields: ["x-sum", "9"] });
  });

  test("have a window that settings made negative filled up first", async () => {
    const { server, ask } = await begun(new Map([[settingIds.initialWindowSize, 10]]));
    ask("POST", false).stream?.write(Buffer.alloc(20, "a"));
    await settled();
    server.say(encodeSettings(new Map([[settingIds.initialWindowSize, 0]])), encodeWindowUpdate(1, 10));
    await settled();
    expect(server.of(data)).toHaveLength(1);
    server.say(encodeWindowUpdate(1, 1));
    await settled();
    expect(server.of(data).map(({ payload }) => payload.length)).toEqual([10, 1]);
  });

  test("share the connection's window, a frame of each in turn", async () => {
    const { server, ask } = await begun(new Map([[settingIds.initialWindowSize, mib]]));
    const [first, second] = [ask("POST", false), ask("POST", false)];
    first.stream?.write(Buffer.alloc(65_535 + 40_000));
    second.stream?.write(Buffer.alloc(40_000));
    await settled();
    const lengths = () => server.of(data).map(({ streamId, payload }) => [streamId, payload.length]);
    expect(lengths().map(([, length]) => length)).toEqual([16_384, 16_384, 16_384, 16_383]);
    server.say(encodeWindowUpdate(0, 200_000));
    await settled();
    expect(lengths().slice(4)).toEqual([
      [1, 16_384],
      [3, 16_384],
      [1, 16_384],
      [3, 16_384],
      [1, 7_232],
      [3, 7_232],
    ]);
  });

  test("are told to wait with a body that the server does not take, and hold little of it", async () => {
    const { server, ask } = await begun();
    const { stream } = ask("POST", false);
    let written = 0;
    let drained = 0;
    while (stream?.write(Buffer.alloc(1_000)) === true && written < 10_000) {
      written++;
    }
    stream?.onceDrain(() => drained++);
    expect(written).toBeLessThan(200);
    await settled();
    expect(drained).toBe(0);
    server.say(encodeWindowUpdate(0, mib), encodeWindowUpdate(1, mib));
    await settled();
    expect(drained).toBe(1);
  });

  test("are not taken by a connection whose server reads nothing; what it asks for is bounded too", async () => {
    const { server, connection, ask, events } = await begun();
    server.reads = false;
    const asked: Told[] = [];
    while (connection.hasRoom && asked.length < 1_000) {
      asked.push(ask("GET", true, ["x-long", "v".repeat(10_000)]));
      if (asked.length % 20 === 0) {
        await turn();
      }
    }
    expect(asked.length).toBeLessThan(80);
    expect(ask().stream).toBeUndefined();
    server.readOn();
    await settled();
    expect(connection.hasRoom).toBe(true);
    expect(events).toEqual([]);
  });

  test("are as many as the server takes, and 100 before it says so", async () => {
    const { server, connection, ask } = open();
    const asked = Array.from({ length: 101 }, () => ask());
    expect(asked.filter(({ stream }) => stream !== undefined)).toHaveLength(100);
    server.begin(new Map([[settingIds.maxConcurrentStreams, 101]]));
    await settled();
    expect(ask().stream?.id).toBe(201);
    expect(connection.hasRoom).toBe(false);
    server.say(server.headers(1, [":status", "204"], true));
    await settled();
    expect(connection.hasRoom).toBe(true);
    server.say(encodeSettings(new Map([[settingIds.maxConcurrentStreams, 0]])));
    await settled();
    expect(connection.hasRoom).toBe(false);
  });

  test("are any number for a server that names no limit", async () => {
    const { ask } = await begun();
    expect(Array.from({ length: 300 }, () => ask()).every(({ stream }) => stream !== undefined)).toBe(true);
  });

  test("end with the highest number, and the connection when they are answered", async () => {
    const { server, ask, events } = await begun(new Map(), { firstStreamId: 2 ** 31 - 3 });
    const [first, last] = [ask(), ask()];
    expect([first.stream?.id, last.stream?.id]).toEqual([2 ** 31 - 3, 2 ** 31 - 1]);
    expect([ask().stream, events]).toEqual([undefined, ["leaving"]]);
    server.say(server.headers(2 ** 31 - 3, [":status", "204"], true));
    server.say(server.headers(2 ** 31 - 1, [":status", "204"], true));
    await settled();
    expect(last.words).toEqual(["head 204  ends", "end "]);
    expect(server.of(goAway)).toHaveLength(1);
    expect(events).toEqual(["leaving", "closed"]);
  });

  test("keep to a smaller table of the server", async () => {
    const { server, ask } = await begun(new Map([[settingIds.headerTableSize, 0]]));
    ask("GET", true, ["x-a", "1"]);
    ask("GET", true, ["x-a", "1"]);
    ask("GET", true, ["x-a", "1"]);
    await settled();
    const [first, , third] = server.of(headers);
    // The first block says that the table is empty; no block uses an entry of the table.
    expect(first?.payload[0]).toBe(0x20);
    expect(third?.fields).toEqual(first?.fields);
  });
});

describe("responses", () => {
  test("have interim answers, a head, a body and trailers", async () => {
    const { server, ask } = await begun();
    const told = ask();
    server.say(
      server.headers(1, [":status", "103", "link", "</a>"]),
      server.headers(1, [":status", "200", "x-a", "1"]),
      server.data(1, "he"),
      encodeFrame(data, frameFlags.padded, 1, Buffer.from("\x02llo\0\0")),
      server.headers(1, ["x-sum", " 5 "], true),
    );
    await settled();
    expect([told.words, told.body]).toEqual([
      ["interim 103 link,</a>", "head 200 x-a,1", "end x-sum,5"],
      "hello",
    ]);
    expect(server.frames.filter(({ type }) => type !== headers)).toEqual([]);
  });

  test("come in pieces of any size", async () => {
    const { server, ask } = await begun();
    const told = ask();
    const bytes = Buffer.concat([
      server.headers(1, [":status", "200"]),
      server.data(1, "hello"),
      server.data(1, "", true),
    ]);
    for (const byte of bytes) {
      server.push(Buffer.of(byte));
    }
    await settled();
    expect([told.body, told.words.at(-1)]).toEqual(["hello", "end "]);
  });

  test("to HEAD, and 204 and 304, have no body whatever their length says", async () => {
    const { server, ask } = await begun();
    const [head, none, same] = [ask("HEAD"), ask(), ask()];
    server.say(
      server.headers(1, [":status", "200", "content-length", "5"], true),
      server.headers(3, [":status", "204", "content-length", "5"], true),
      server.headers(5, [":status", "304", "content-length", "5"]),
      server.data(5, "", true),
    );
    await settled();
    expect([head, none, same].map(({ words }) => words)).toEqual([
      ["head 200 content-length,5 ends", "end "],
      ["head 204  ends", "end "],
      ["head 304 content-length,5", "end "],
    ]);
  });

  test("wait for their reader, within a window; the others go on", async () => {
    const { server, ask } = await begun();
    const [slow, quick] = [ask(), ask()];
    slow.takes = 1;
    server.say(server.headers(1, [":status", "200"]), server.headers(3, [":status", "200"]));
    for (let index = 0; index < 64; index++) {
      server.say(server.data(1, "a".repeat(16_384)));
      server.say(server.data(3, "b".repeat(16_384)));
    }
    await settled();
    expect([slow.body.length, quick.body.length]).toEqual([16_384, mib]);
    const granted = (streamId: number) =>
      server
        .of(windowUpdate)
        .filter((frame) => frame.streamId === streamId)
        .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
    expect(granted(1)).toBe(0);
    expect(granted(3)).toBe(mib);
    slow.takes = Number.POSITIVE_INFINITY;
    slow.stream?.resume();
    server.say(server.data(1, "end", true));
    await settled();
    expect([slow.body.length, slow.words.at(-1)]).toEqual([mib + 3, "end "]);
    expect(granted(1)).toBe(mib);
  });

  test("of slow readers leave the connection's window to others", async () => {
    const { server, ask } = await begun(new Map(), { windowBytes: 65_535 });
    const [slow, quick] = [ask(), ask()];
    slow.takes = 1;
    server.say(server.headers(1, [":status", "200"]), server.headers(3, [":status", "200"]));
    for (let index = 0; index < 8; index++) {
      server.say(server.data(1, Buffer.alloc(16_384)));
    }
    server.say(server.data(3, "quick", true));
    await settled();
    expect([slow.error, quick.body, quick.words.at(-1)]).toEqual([undefined, "quick", "end "]);
  });

  test("that end before they are read are told to their end, on a connection that is gone too", async () => {
    const { server, ask, connection } = await begun();
    const told = ask();
    told.takes = 1;
    server.say(server.headers(1, [":status", "200"]), server.data(1, "a"), server.data(1, "b"));
    server.say(server.headers(1, ["x-sum", "2"], true));
    await settled();
    expect([told.body, told.words]).toEqual(["a", ["head 200 "]]);
    expect(connection.openStreams).toBe(0);
    server.destroy();
    await settled();
    told.takes = Number.POSITIVE_INFINITY;
    told.stream?.resume();
    expect([told.body, told.words.at(-1)]).toEqual(["ab", "end x-sum,2"]);
  });

  test("that end before the request break the rest of it off, without an error", async () => {
    const { server, ask } = await begun();
    const told = ask("POST", false);
    told.stream?.write(Buffer.alloc(70_000));
    server.say(server.headers(1, [":status", "413"], true));
    await settled();
    expect(told.words.at(-1)).toBe("end ");
    expect(server.of(rstStream).map(({ payload }) => payload.readUInt32BE(0))).toEqual([errorCodes.noError]);
    server.say(encodeWindowUpdate(0, mib), encodeWindowUpdate(1, mib));
    await settled();
    expect(server.of(data).reduce((sum, { payload }) => sum + payload.length, 0)).toBe(65_535);
  });

  test("that nobody wants are broken off, and what is under way is dropped", async () => {
    const { server, ask, connection, events } = await begun();
    const told = ask();
    told.stream?.cancel();
    told.stream?.cancel();
    server.say(
      server.headers(1, [":status", "200", "x-a", "kept in the table"]),
      server.data(1, "late"),
      encodeWindowUpdate(1, 5),
      encodeRstStream(1, errorCodes.cancel),
    );
    const next = ask();
    server.say(server.headers(3, [":status", "200", "x-a", "kept in the table"], true));
    await settled();
    expect(told.words).toEqual([]);
    expect(server.of(rstStream).map(({ payload }) => payload.readUInt32BE(0))).toEqual([errorCodes.cancel]);
    expect(next.words[0]).toBe("head 200 x-a,kept in the table ends");
    expect([connection.openStreams, events]).toEqual([0, []]);
  });
});

describe("a stream ends, and no other, by", () => {
  test.each<[string, RegExp, (server: ScriptedServer) => Uint8Array[]]>([
    ["a head without status", /field :status is missing/, (s) => [s.headers(1, ["x-a", "1"])]],
    ["a status of text", /status "OK"/, (s) => [s.headers(1, [":status", "OK"])]],
    ["status 101", /status 101/, (s) => [s.headers(1, [":status", "101"])]],
    [
      "an interim answer that ends it",
      /103 ends the stream/,
      (s) => [s.headers(1, [":status", "103"], true)],
    ],
    ["two statuses", /:status/, (s) => [s.headers(1, [":status", "200", ":status", "200"])]],
    ["an unknown pseudo field", /:path/, (s) => [s.headers(1, [":status", "200", ":path", "/"])]],
    ["a pseudo field behind others", /:status/, (s) => [s.headers(1, ["x-a", "1", ":status", "200"])]],
    ["a name in upper case", /X-A/, (s) => [s.headers(1, [":status", "200", "X-A", "1"])]],
    [
      "a field of a connection",
      /transfer-encoding/,
      (s) => [s.headers(1, [":status", "200", "transfer-encoding", "chunked"])],
    ],
    ["a line feed in a value", /value of x-a/, (s) => [s.headers(1, [":status", "200", "x-a", "a\nb"])]],
    [
      "a length that is none",
      /content-length/,
      (s) => [s.headers(1, [":status", "200", "content-length", "5,5"])],
    ],
    [
      "two lengths",
      /content-length/,
      (s) => [s.headers(1, [":status", "200", "content-length", "5", "content-length", "5"])],
    ],
    [
      "a body over its length",
      /longer than content-length/,
      (s) => [s.headers(1, [":status", "200", "content-length", "2"]), s.data(1, "abc")],
    ],
    [
      "a body under its length",
      /1 bytes shorter/,
      (s) => [s.headers(1, [":status", "200", "content-length", "3"]), s.data(1, "ab", true)],
    ],
    [
      "no body in place of one",
      /3 bytes shorter/,
      (s) => [s.headers(1, [":status", "200", "content-length", "3"], true)],
    ],
    [
      "trailers in place of a body",
      /3 bytes shorter/,
      (s) => [s.headers(1, [":status", "200", "content-length", "3"]), s.headers(1, ["x-a", "1"], true)],
    ],
    ["a body of a 304", /must be empty/, (s) => [s.headers(1, [":status", "304"]), s.data(1, "a")]],
    ["DATA before the head", /DATA before the head/, (s) => [s.data(1, "a")]],
    [
      "a second head",
      /a second head/,
      (s) => [s.headers(1, [":status", "200"]), s.headers(1, [":status", "200"])],
    ],
    [
      "a pseudo field in trailers",
      /pseudo field in trailers/,
      (s) => [s.headers(1, [":status", "200"]), s.headers(1, [":status", "200"], true)],
    ],
    [
      "a head that is too large",
      /larger than the limit of 16000 bytes/,
      (s) => [s.headers(1, [":status", "200", "x-a", "v".repeat(16_000)])],
    ],
    ["a window of 0 more", /WINDOW_UPDATE of 0/, () => [encodeWindowUpdate(1, 0)]],
    ["a window that is too large", /window over/, () => [encodeWindowUpdate(1, 2 ** 31 - 1)]],
    ["a priority of 4 bytes", /PRIORITY/, () => [encodeFrame(frameTypes.priority, 0, 1, Buffer.alloc(4))]],
    ["RST_STREAM", /reset with INTERNAL_ERROR \(2\)/, () => [encodeRstStream(1, errorCodes.internalError)]],
  ])("%s", async (_, message, frames) => {
    const { server, ask, connection, events } = await begun();
    const [broken, other] = [ask(), ask()];
    server.say(...frames(server), server.headers(3, [":status", "200"]), server.data(3, "ok", true));
    await settled();
    expect(broken.error?.message).toMatch(message);
    expect(broken.error).toMatchObject({ isUnseen: false, isConnectionLost: false });
    expect(broken.words.filter((word) => word.startsWith("failed"))).toHaveLength(1);
    expect([other.body, other.words.at(-1)]).toEqual(["ok", "end "]);
    expect([connection.takesRequests, events]).toEqual([true, []]);
  });

  test("more DATA than its window", async () => {
    const { server, ask, connection } = await begun();
    const told = ask();
    told.takes = 1;
    server.say(server.headers(1, [":status", "200"]));
    for (let index = 0; index < 66; index++) {
      server.say(server.data(1, Buffer.alloc(16_384)));
    }
    await settled();
    expect(told.error?.message).toMatch(/over the window of the stream/);
    expect(server.of(rstStream)[0]?.payload.readUInt32BE(0)).toBe(errorCodes.flowControlError);
    expect(connection.takesRequests).toBe(true);
  });

  test("REFUSED_STREAM, which says that it was not looked at", async () => {
    const { server, ask } = await begun();
    const told = ask("POST", false);
    server.say(encodeRstStream(1, errorCodes.refusedStream));
    await settled();
    expect(told.error).toMatchObject({ isUnseen: true, resetCode: errorCodes.refusedStream });
    told.stream?.write(Buffer.from("late"));
    told.stream?.end();
    await settled();
    expect(server.of(data)).toEqual([]);
  });
});

describe("a connection ends, and all that runs on it, by", () => {
  const block = Buffer.alloc(16_000);
  test.each<[string, number, RegExp, (server: ScriptedServer) => Uint8Array[]]>([
    [
      "text",
      errorCodes.frameSizeError,
      /frame of \d+ bytes/,
      () => [Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ],
    [
      "a push",
      errorCodes.protocolError,
      /PUSH_PROMISE/,
      () => [encodeFrame(frameTypes.pushPromise, 4, 1, Buffer.alloc(5))],
    ],
    [
      "settings that allow pushes",
      errorCodes.protocolError,
      /ENABLE_PUSH/,
      () => [encodeSettings(new Map([[settingIds.enablePush, 1]]))],
    ],
    [
      "settings of 5 bytes",
      errorCodes.frameSizeError,
      /SETTINGS of 5/,
      () => [encodeFrame(frameTypes.settings, 0, 0, Buffer.alloc(5))],
    ],
    [
      "a window over the limit in settings",
      errorCodes.flowControlError,
      /INITIAL_WINDOW/,
      () => [encodeSettings(new Map([[settingIds.initialWindowSize, 2 ** 31]]))],
    ],
    [
      "a frame size under the limit",
      errorCodes.protocolError,
      /MAX_FRAME_SIZE/,
      () => [encodeSettings(new Map([[settingIds.maxFrameSize, 16_383]]))],
    ],
    [
      "DATA on a stream that was never opened",
      errorCodes.protocolError,
      /stream 5, which was never/,
      (s) => [s.data(5, "a")],
    ],
    [
      "HEADERS on an even stream",
      errorCodes.protocolError,
      /stream 2/,
      (s) => [s.headers(2, [":status", "200"])],
    ],
    ["DATA on stream 0", errorCodes.protocolError, /stream 0/, (s) => [s.data(0, "a")]],
    [
      "RST_STREAM on a stream that was never opened",
      errorCodes.protocolError,
      /stream 7/,
      () => [encodeRstStream(7, 0)],
    ],
    [
      "padding longer than its frame",
      errorCodes.protocolError,
      /padding/,
      () => [encodeFrame(data, frameFlags.padded, 1, Buffer.of(9, 0))],
    ],
    [
      "compression of no table",
      errorCodes.compressionError,
      /is in no table/,
      () => [encodeFrame(headers, frameFlags.endHeaders, 1, Buffer.of(0xff, 0x7f))],
    ],
    [
      "a header block that another frame interrupts",
      errorCodes.protocolError,
      /middle of a header block/,
      () => [encodeFrame(headers, 0, 1, Buffer.alloc(1)), encodeFrame(ping, 0, 0, Buffer.alloc(8))],
    ],
    [
      "CONTINUATION of nothing",
      errorCodes.protocolError,
      /CONTINUATION without/,
      () => [encodeFrame(continuation, frameFlags.endHeaders, 1, Buffer.alloc(1))],
    ],
    [
      "an endless header block",
      errorCodes.enhanceYourCalm,
      /header block is over/,
      () => [
        encodeFrame(headers, 0, 1, block),
        ...Array.from({ length: 17 }, () => encodeFrame(continuation, 0, 1, block)),
      ],
    ],
    [
      "a window over the limit",
      errorCodes.flowControlError,
      /a window is over/,
      () => [encodeWindowUpdate(0, 2 ** 31 - 1)],
    ],
    ["a window of 0 more", errorCodes.protocolError, /WINDOW_UPDATE of 0/, () => [encodeWindowUpdate(0, 0)]],
    ["PING of 7 bytes", errorCodes.frameSizeError, /PING/, () => [encodeFrame(ping, 0, 0, Buffer.alloc(7))]],
    [
      "a flood of PING",
      errorCodes.enhanceYourCalm,
      /frames that move nothing/,
      () => Array.from({ length: 2_000 }, () => encodeFrame(ping, 0, 0, Buffer.alloc(8))),
    ],
    [
      "a flood of SETTINGS",
      errorCodes.enhanceYourCalm,
      /frames that move nothing/,
      () => Array.from({ length: 2_000 }, () => encodeSettings(new Map())),
    ],
    [
      "a flood of empty DATA",
      errorCodes.enhanceYourCalm,
      /frames that move nothing/,
      (s) => [s.headers(1, [":status", "200"]), ...Array.from({ length: 2_000 }, () => s.data(1, ""))],
    ],
    [
      "a flood of interim answers",
      errorCodes.enhanceYourCalm,
      /frames that move nothing/,
      (s) => Array.from({ length: 2_000 }, () => s.headers(1, [":status", "103"])),
    ],
    [
      "a flood of WINDOW_UPDATE",
      errorCodes.enhanceYourCalm,
      /WINDOW_UPDATE frames/,
      () => Array.from({ length: 2_000 }, () => encodeWindowUpdate(1, 1)),
    ],
    [
      "a flood of unknown frames",
      errorCodes.enhanceYourCalm,
      /frames that move nothing/,
      () => Array.from({ length: 2_000 }, () => encodeFrame(0xfa, 0, 0, Buffer.alloc(0))),
    ],
  ])("%s", async (_, code, message, frames) => {
    const { server, ask, connection, events } = await begun();
    const told = [ask(), ask("POST", false)];
    await settled();
    server.say(...frames(server));
    await settled();
    for (const { error } of told) {
      expect(error?.message).toMatch(message);
      expect(error).toMatchObject({ isUnseen: false, isConnectionLost: true });
    }
    expect(server.of(goAway).map(({ payload }) => payload.readUInt32BE(4))).toEqual([code]);
    expect([connection.takesRequests, connection.hasRoom, ask().stream]).toEqual([false, false, undefined]);
    expect(events).toEqual(["leaving", "closed"]);
    expect(server.destroyed).toBe(true);
  });

  test("a first frame that is not SETTINGS", async () => {
    const { server, ask } = open();
    const told = ask();
    server.say(encodeFrame(ping, 0, 0, Buffer.alloc(8)));
    await settled();
    expect(told.error?.message).toMatch(/first frame is not SETTINGS/);
  });
});

describe("a connection that is cut", () => {
  const stages: readonly (readonly [string, (server: ScriptedServer) => void])[] = [
    ["before settings", () => {}],
    ["before the head", (s) => s.begin()],
    ["in a frame", (s) => s.say(encodeSettings(new Map()), Buffer.of(0, 0, 9, 1))],
    [
      "in a header block",
      (s) => s.say(encodeSettings(new Map()), encodeFrame(headers, 0, 1, Buffer.alloc(1))),
    ],
    ["after an interim answer", (s) => s.say(encodeSettings(new Map()), s.headers(1, [":status", "103"]))],
    ["after the head", (s) => s.say(encodeSettings(new Map()), s.headers(1, [":status", "200"]))],
    [
      "in the body",
      (s) => s.say(encodeSettings(new Map()), s.headers(1, [":status", "200"]), s.data(1, "half")),
    ],
  ];
  const cuts: readonly (readonly [string, (server: ScriptedServer) => void])[] = [
    ["closed", (s) => s.push(null)],
    ["broken off", (s) => void s.destroy()],
    ["broken off with an error", (s) => void s.destroy(new Error("reset by peer"))],
  ];
  const rows = stages.flatMap(([when, begin]) => cuts.map(([how, cut]) => ({ when, how, begin, cut })));
  test.each(rows)(
    "is $how $when: each request fails once, and may be tried again as a lost one",
    async ({ begin, cut }) => {
      const { server, ask, events } = open();
      const told = [ask(), ask("POST", false)];
      await settled();
      begin(server);
      await settled();
      cut(server);
      await settled();
      for (const { error, words } of told) {
        expect(error).toMatchObject({ isUnseen: false, isConnectionLost: true });
        expect(words.filter((word) => word.startsWith("failed"))).toHaveLength(1);
      }
      expect(events).toEqual(["leaving", "closed"]);
    },
  );

  test("before it is used tells its owner once", async () => {
    const server = new ScriptedServer();
    server.destroy();
    await settled();
    const events: string[] = [];
    const owner = {
      roomChanged() {},
      leaving: () => events.push("leaving"),
      closed: () => events.push("closed"),
    };
    const connection = new ClientConnection(server, owner, { maxHeaderBytes: 100, windowBytes: mib });
    expect(connection.hasRoom).toBe(false);
    await settled();
    expect(events).toEqual(["leaving", "closed"]);
  });
});

describe("GOAWAY", () => {
  test("fails what was not looked at, lets the others end, and closes", async () => {
    const { server, ask, connection, events } = await begun();
    const [first, second] = [ask(), ask("POST", false)];
    server.say(server.headers(1, [":status", "200"]), server.data(1, "be"), encodeGoAway(1, 0, "bye"));
    await settled();
    expect(second.error).toMatchObject({ isUnseen: true, isConnectionLost: false });
    expect([connection.goAwayCode, connection.hasRoom, events]).toEqual([0, false, ["leaving"]]);
    server.say(server.data(1, "gun", true));
    await settled();
    expect([first.body, first.words.at(-1)]).toEqual(["begun", "end "]);
    expect([server.of(goAway).length, events]).toEqual([1, ["leaving", "closed"]]);
  });

  test("may come twice, first with any number", async () => {
    const { server, ask } = await begun();
    const [first, second] = [ask(), ask()];
    server.say(encodeGoAway(2 ** 31 - 1, 0));
    await settled();
    expect([first.error, second.error]).toEqual([undefined, undefined]);
    server.say(encodeGoAway(1, 0), server.headers(1, [":status", "204"], true));
    await settled();
    expect([first.words.at(-1), second.error?.isUnseen]).toEqual(["end ", true]);
  });

  test("with an error ends all, and says which were not looked at", async () => {
    const { server, ask, connection, events } = await begun();
    const [first, second] = [ask(), ask()];
    server.say(encodeGoAway(1, errorCodes.enhanceYourCalm), server.headers(1, [":status", "200"], true));
    await settled();
    expect(first.words).toEqual(["failed: the server went away with ENHANCE_YOUR_CALM (11)"]);
    expect([first.error?.isUnseen, second.error?.isUnseen]).toEqual([false, true]);
    expect([connection.goAwayCode, events]).toEqual([11, ["leaving", "closed"]]);
  });

  test("in place of settings is taken", async () => {
    const { server, ask } = open();
    const told = ask();
    server.say(encodeGoAway(0, 0));
    await settled();
    expect(told.error).toMatchObject({ isUnseen: true });
  });
});

describe("control frames", () => {
  test("PING is answered with the same bytes, and SETTINGS are acknowledged", async () => {
    const { server } = await begun();
    server.say(encodeFrame(ping, 0, 0, Buffer.from("12345678")), encodeSettings(new Map()));
    server.say(settingsAck, encodeFrame(ping, frameFlags.ack, 0, Buffer.alloc(8)));
    await settled();
    expect(server.frames.map(({ type, flags, payload }) => [type, flags, String(payload)])).toEqual([
      [ping, frameFlags.ack, "12345678"],
      [frameTypes.settings, frameFlags.ack, ""],
    ]);
  });

  test("close() ends an idle connection at once, a busy one after its last stream", async () => {
    const idle = await begun();
    idle.connection.close();
    await settled();
    expect(idle.events).toEqual(["leaving", "closed"]);
    const busy = await begun();
    const told = busy.ask();
    busy.connection.close();
    await settled();
    expect(busy.events).toEqual(["leaving"]);
    busy.server.say(busy.server.headers(1, [":status", "204"], true));
    await settled();
    expect([told.words.at(-1), busy.events]).toEqual(["end ", ["leaving", "closed"]]);
  });
});
