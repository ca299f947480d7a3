import * as http2 from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { encodeHeaders } from "../http2/encode-headers.ts";
import {
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameTypes,
} from "../http2/frames.ts";
import { Http2Connection } from "./http2-connection.ts";
import type { Http2Outcome } from "./http2-stream.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0).reverse()) {
    step();
  }
});

const fields = [
  { name: ":method", value: "POST" },
  { name: ":scheme", value: "http" },
  { name: ":path", value: "/" },
  { name: ":authority", value: "test" },
];
const headers = encodeHeaders(fields);

function listen(server: Server | http2.Http2Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}

/** A connection, and its events so far. */
async function open(port: number) {
  const events: string[] = [];
  let ready = () => {};
  let end = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const hasEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const connection = new Http2Connection(socket, {
    onReady: () => ready(),
    onGoingAway: () => events.push("going away"),
    onEnd: (reason) => {
      events.push(reason);
      end();
    },
  });
  cleanUp.push(() => connection.destroy("the test is over"));
  const call = (body: Buffer = Buffer.alloc(0), block = headers) =>
    new Promise<Http2Outcome>((resolve) => connection.request(block, body, resolve));
  return { connection, events, isReady, hasEnded, call };
}

async function http2Server(
  onStream: (stream: http2.ServerHttp2Stream, count: number) => void,
  options: http2.ServerOptions = {},
) {
  let count = 0;
  const sessions: http2.ServerHttp2Session[] = [];
  const server = http2.createServer(options);
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream: http2.ServerHttp2Stream) => {
    stream.on("error", () => {});
    onStream(stream, ++count);
  });
  const port = await listen(server);
  cleanUp.push(() => {
    for (const session of sessions) {
      session.destroy();
    }
    server.close();
  });
  return { port, sessions };
}

/** Answers the first call with a head, and then with these bytes. */
async function floodingServer(status: string, bytes: Buffer): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(encodeSettings(new Map()));
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      const before = received.includes(headers);
      received = Buffer.concat([received, chunk]);
      if (!before && received.includes(headers)) {
        const head = encodeHeaders([{ name: ":status", value: status }]);
        socket.write(Buffer.concat([encodeFrame(frameTypes.headers, frameFlags.endHeaders, 1, head), bytes]));
      }
    });
    cleanUp.push(() => socket.destroy());
  });
  cleanUp.push(() => server.close());
  return await listen(server);
}

const echo = (stream: http2.ServerHttp2Stream) => {
  stream.respond({ ":status": 200 });
  stream.pipe(stream);
};

describe("Http2Connection, against Node's server", () => {
  test("sends and gets bodies of any size through small windows", async () => {
    const { port } = await http2Server(echo, {
      settings: { initialWindowSize: 1_000, maxFrameSize: 16_384 },
    });
    const { isReady, call } = await open(port);
    await isReady;
    const bodies = [0, 1, 999, 1_000, 70_000, 300_000].map((size, index) => Buffer.alloc(size, index + 1));
    const outcomes = await Promise.all(bodies.map((body) => call(body)));
    expect(
      outcomes.map(
        (outcome) => "body" in outcome && outcome.body.equals(bodies[outcomes.indexOf(outcome)] ?? headers),
      ),
    ).toEqual(bodies.map(() => true));
  });

  test("has no more requests under way than the peer takes", async () => {
    let open_ = 0;
    let most = 0;
    const { port } = await http2Server(
      (stream) => {
        most = Math.max(most, ++open_);
        stream.resume();
        stream.once("end", () =>
          setImmediate(() => {
            open_--;
            stream.respond({ ":status": 200 });
            stream.end("ok");
          }),
        );
      },
      { settings: { maxConcurrentStreams: 3 } },
    );
    const { isReady, call } = await open(port);
    await isReady;
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call(Buffer.from("x"))));
    expect(outcomes.every((outcome) => "body" in outcome && outcome.body.toString() === "ok")).toBe(true);
    expect(most).toBe(3);
  });

  test("gives headers and trailers, long ones too", async () => {
    const long = "x".repeat(40_000);
    const { port } = await http2Server(
      (stream) => {
        stream.additionalHeaders({ ":status": 103 });
        stream.respond({ ":status": 200, "x-long": long }, { waitForTrailers: true });
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", "x-long": long }));
        stream.end("body");
      },
      { maxSendHeaderBlockLength: 100_000 },
    );
    const { isReady, call } = await open(port);
    await isReady;
    const outcome = await call();
    expect(outcome).toMatchObject({ body: Buffer.from("body") });
    const { headers: got, trailers } = outcome as {
      headers: ReadonlyMap<string, string>;
      trailers: ReadonlyMap<string, string>;
    };
    expect([
      got.get(":status"),
      got.get("x-long"),
      trailers.get("grpc-status"),
      trailers.get("x-long"),
    ]).toEqual(["200", long, "0", long]);
  });

  test("sends long headers in several frames", async () => {
    const long = "ä".repeat(20_000);
    const server = http2.createServer((request, response) => response.end(String(request.headers["x-long"])));
    cleanUp.push(() => server.close());
    const { isReady, call, connection } = await open(await listen(server));
    await isReady;
    const outcome = await call(
      Buffer.from("body"),
      encodeHeaders([...fields, { name: "x-long", value: long }]),
    );
    expect("body" in outcome && outcome.body.length).toBeGreaterThanOrEqual(long.length);
    connection.close();
  });

  test("ends what is under way and takes nothing new when the peer goes away", async () => {
    const { port, sessions } = await http2Server((stream, count) => {
      if (count === 2) {
        sessions[0]?.goaway(0, 1);
      }
      stream.once("end", () => {
        stream.respond({ ":status": 200 });
        stream.end("ok");
      });
      if (count === 2) {
        stream.resume();
      }
    });
    const { connection, isReady, call, events } = await open(port);
    await isReady;
    const [first, second] = [call(), call()];
    expect(await second).toMatchObject({ isUntouched: true });
    expect(connection.isReady).toBe(false);
    expect(await call()).toMatchObject({ isUntouched: true });
    expect(events[0]).toBe("going away");
    sessions[0]?.destroy();
    expect(await first).toMatchObject({ isUntouched: false });
  });

  test("tells a refused request from one that was begun", async () => {
    const { port } = await http2Server((stream, count) => {
      stream.close(count === 1 ? http2.constants.NGHTTP2_REFUSED_STREAM : http2.constants.NGHTTP2_CANCEL);
    });
    const { isReady, call } = await open(port);
    await isReady;
    expect(await call()).toMatchObject({ isUntouched: true, resetCode: errorCodes.refusedStream });
    expect(await call()).toMatchObject({ isUntouched: false, resetCode: errorCodes.cancel });
  });

  test("gives up a request without harm to the others", async () => {
    const { port } = await http2Server((stream, count) => {
      if (count > 1) {
        echo(stream);
      }
    });
    const { connection, isReady, call } = await open(port);
    await isReady;
    const stream = connection.request(headers, Buffer.from("x"), () => expect.fail("it was given up"));
    connection.cancel(stream);
    expect(await call(Buffer.from("y"))).toMatchObject({ body: Buffer.from("y") });
  });
});

describe("Http2Connection, against a peer that breaks HTTP/2", () => {
  /** A server that sends bytes; with `afterRequest`, it first waits for a request. */
  async function sending(bytes: Buffer, afterRequest = false): Promise<number> {
    const sockets: Socket[] = [];
    const settings = encodeSettings(new Map());
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => {});
      let received = 0;
      socket.write(afterRequest ? settings : bytes);
      socket.on("data", (chunk: Buffer) => {
        const before = received;
        received += chunk.length;
        // The preface with its settings is 45 bytes, the acknowledgement 9.
        if (afterRequest && before <= 54 && received > 54) {
          socket.write(bytes);
        }
      });
    });
    cleanUp.push(() => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
    });
    return listen(server);
  }

  test.each<[string, Buffer, RegExp]>([
    [
      "text",
      Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
      /frame of \d+ bytes is over the limit of 16384/,
    ],
    ["no settings", encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8)), /the first frame is not SETTINGS/],
    ["odd settings", encodeFrame(frameTypes.settings, 0, 0, Buffer.alloc(5)), /SETTINGS of 5 bytes/],
    [
      "a small frame size",
      encodeFrame(frameTypes.settings, 0, 0, Buffer.from([0, 5, 0, 0, 0, 1])),
      /SETTINGS_MAX_FRAME_SIZE of 1/,
    ],
    [
      "a large window",
      encodeFrame(frameTypes.settings, 0, 0, Buffer.from([0, 4, 255, 255, 255, 255])),
      /SETTINGS_INITIAL_WINDOW_SIZE of 4294967295/,
    ],
  ])("ends a connection with %s", async (_, bytes, message) => {
    const { hasEnded, events } = await open(await sending(bytes));
    await hasEnded;
    expect(events).toEqual([expect.stringMatching(message)]);
  });

  test.each<[string, Buffer, RegExp]>([
    [
      "a push",
      encodeFrame(frameTypes.pushPromise, 4, 1, Buffer.alloc(4)),
      /PUSH_PROMISE, which nobody may send us/,
    ],
    ["a stream that was never begun", encodeFrame(frameTypes.data, 0, 7, Buffer.alloc(4)), /stream 7/],
    ["data before headers", encodeFrame(frameTypes.data, 0, 1, Buffer.alloc(4)), /data before headers/],
    ["padding longer than its frame", encodeFrame(frameTypes.headers, 12, 1, Buffer.of(9, 0)), /padding/],
    ["bad compression", encodeFrame(frameTypes.headers, 4, 1, Buffer.of(0xbe)), /is in no table/],
    [
      "a continuation of nothing",
      encodeFrame(frameTypes.continuation, 4, 1, Buffer.alloc(1)),
      /CONTINUATION without HEADERS/,
    ],
    [
      "an endless header block",
      Buffer.concat([
        encodeFrame(frameTypes.headers, 0, 1, Buffer.alloc(16_000)),
        ...Array.from({ length: 5 }, () => encodeFrame(frameTypes.continuation, 0, 1, Buffer.alloc(16_000))),
      ]),
      /a header block is over the limit of 65536 bytes/,
    ],
    [
      "a header block of endless empty pieces",
      Buffer.concat([
        encodeFrame(frameTypes.headers, 0, 1, Buffer.alloc(0)),
        ...Array.from({ length: 16 }, () => encodeFrame(frameTypes.continuation, 0, 1, Buffer.alloc(0))),
      ]),
      /a header block is over the limit of .* or 16 frames/,
    ],
    [
      "a table that was not allowed",
      encodeFrame(frameTypes.headers, 4, 1, Buffer.of(0x3f, 0)),
      /table of 31/,
    ],
    [
      "a broken off header block",
      Buffer.concat([
        encodeFrame(frameTypes.headers, 0, 1, Buffer.alloc(1)),
        encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
      ]),
      /in the middle of a header block/,
    ],
    ["a window that overflows", encodeWindowUpdate(0, 2 ** 31 - 1), /a window is over 2\^31 - 1/],
  ])("ends a connection with %s, and the requests on it", async (_, bytes, message) => {
    const { isReady, call, hasEnded, events } = await open(await sending(bytes, true));
    await isReady;
    expect(await call(Buffer.from("x"))).toMatchObject({
      isUntouched: false,
      message: expect.stringMatching(message),
    });
    await hasEnded;
    expect(events).toEqual([expect.stringMatching(message)]);
  });

  test.each<[string, Buffer]>([
    ["empty DATA", encodeFrame(frameTypes.data, 0, 1, Buffer.alloc(0))],
    ["PING", encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
    ["SETTINGS", encodeSettings(new Map())],
    ["PRIORITY", encodeFrame(frameTypes.priority, 0, 1, Buffer.alloc(5))],
    ["frames of an unknown type", encodeFrame(0xfa, 0, 0, Buffer.alloc(0))],
  ])("ends when the peer floods it with %s", async (_, frame) => {
    const port = await floodingServer("200", Buffer.concat(Array.from({ length: 2_000 }, () => frame)));
    const { call, isReady, hasEnded } = await open(port);
    await isReady;
    expect(await call()).toMatchObject({
      message: expect.stringMatching(/too many frames that move nothing/),
    });
    await hasEnded;
  });

  test("ends when the peer sends interim answers without end", async () => {
    const head = encodeHeaders([{ name: ":status", value: "103" }]);
    const interim = encodeFrame(frameTypes.headers, frameFlags.endHeaders, 1, head);
    const port = await floodingServer("103", Buffer.concat(Array.from({ length: 2_000 }, () => interim)));
    const { call, isReady } = await open(port);
    await isReady;
    expect(await call()).toMatchObject({
      message: expect.stringMatching(/too many frames that move nothing/),
    });
  });

  test("joins a body that comes a byte a frame", async () => {
    const body = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index & 0xff));
    const pieces = [...body].map((byte) => encodeFrame(frameTypes.data, 0, 1, Buffer.from([byte])));
    const end = encodeFrame(frameTypes.data, frameFlags.endStream, 1, Buffer.alloc(0));
    const port = await floodingServer("200", Buffer.concat([...pieces, end]));
    const { call, isReady } = await open(port);
    await isReady;
    expect(await call()).toMatchObject({ body });
  });

  test("fails a call whose headers are too long, and no other", async () => {
    const tooMany = Buffer.alloc(4_000, 0x80 | 15);
    const answers = Buffer.concat([
      encodeFrame(frameTypes.headers, 4, 1, tooMany),
      encodeFrame(frameTypes.headers, 5, 3, encodeHeaders([{ name: ":status", value: "200" }])),
    ]);
    const { isReady, call } = await open(await sending(answers, true));
    await isReady;
    const [first, second] = await Promise.all([call(), call()]);
    expect(first).toEqual({ isUntouched: false, message: "headers of more than 131072 bytes" });
    expect(second).toMatchObject({ headers: new Map([[":status", "200"]]) });
  });

  test("ends, and fails what is under way, for whatever bytes", async () => {
    const anyFrame = fc
      .record({
        type: fc.integer({ min: 0, max: 11 }),
        flags: fc.constantFrom(0, 1, 4, 5, frameFlags.padded, 45),
        streamId: fc.constantFrom(0, 1, 1, 2, 3),
        payload: fc.uint8Array({ maxLength: 40 }),
      })
      .map(({ type, flags, streamId, payload }) => encodeFrame(type, flags, streamId, payload));
    await fc.assert(
      fc.asyncProperty(fc.array(anyFrame, { maxLength: 12 }), async (frames) => {
        const goaway = encodeFrame(frameTypes.goAway, 0, 0, Buffer.alloc(8));
        const port = await sending(Buffer.concat([...frames, goaway]), true);
        const { isReady, call, connection } = await open(port);
        await isReady;
        const outcome = await call(Buffer.from("x"));
        expect("body" in outcome || outcome.message !== "").toBe(true);
        connection.destroy("seen");
      }),
      { numRuns: 60 },
    );
  });
});
