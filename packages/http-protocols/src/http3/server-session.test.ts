import { expect, test } from "vitest";
import type { QuicStream } from "../quic/streams/quic-stream.ts";
import { collect, type NetworkOptions, SimulatedNetwork } from "../testing/simulated-network.ts";
import { Http3FrameReader } from "./frame-reader.ts";
import { decodeFieldSection } from "./qpack-decoder.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import type { Http3RequestStream } from "./request-stream.ts";
import { Http3ServerSession } from "./server-session.ts";
import { encodeControlStream, encodeFrame } from "./settings.ts";

const settings = Buffer.from("00 04 00".replaceAll(" ", ""), "hex");
const dataFrame = (text: string) => encodeFrame(0x00, Buffer.from(text));
const headersFrame = (...fields: [string, string][]) => {
  const writer = new FieldSectionWriter();
  for (const [name, value] of fields) {
    writer.add(name, value);
  }
  return encodeFrame(0x01, writer.written);
};
const get: [string, string][] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "shop.example"],
  [":path", "/"],
];

/** Records the events of requests, and responds if their path says so. */
function connect(options: NetworkOptions = {}, extendedConnect = false) {
  const log: string[] = [];
  const requests: Http3RequestStream[] = [];
  const sessions: Http3ServerSession[] = [];
  const network = new SimulatedNetwork({
    ...options,
    server: {
      onConnection: (connection) => {
        network.serverConnections.push(connection);
        const session = new Http3ServerSession(connection, {
          maxFieldSectionBytes: 2_000,
          extendedConnect,
          onRequest: (request, head) => {
            requests.push(request);
            log.push(`${head.method} ${head.target}${head.protocol && ` for ${head.protocol}`}`);
            if (head.target === "/") {
              request.respond(200, ["content-length", "2"]);
              request.write(Buffer.from("ok"));
              request.end();
            }
            return {
              onData: (bytes) => {
                log.push(`data ${bytes}`);
                request.consume(bytes.length);
              },
              onEnd: (trailers) => {
                log.push(`end ${trailers}`);
                if (head.target === "/late") {
                  request.respond(204, []);
                  request.end(["x-trailer", "1"]);
                }
              },
              onAbort: (code) => log.push(`abort ${code.toString(16)}`),
              onWritable: () => {},
            };
          },
          onClosed: ({ by, code }) => log.push(`closed by ${by} ${code.toString(16)}`),
        });
        sessions.push(session);
        return session;
      },
    },
  });
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  const uni = (bytes: Buffer) => {
    const stream = network.client.connection.openStream("uni") as QuicStream;
    stream.write(bytes);
    return stream;
  };
  const request = (...frames: Buffer[]) => {
    const stream = network.client.connection.openStream("bidi") as QuicStream;
    const answer = collect(stream);
    stream.write(Buffer.concat(frames));
    return { stream, answer };
  };
  return { network, log, requests, sessions, uni, request };
}

/** Frames of an answer: field sections as texts, bodies as they are. */
function framesOf(bytes: readonly Buffer[]): string[] {
  const frames: string[] = [];
  new Http3FrameReader(
    {
      onFrame: () => {},
      onBody: (body) => frames.push(body.toString()),
      onPayload: (_, payload) =>
        frames.push(
          decodeFieldSection(payload as Buffer, 10_000)!
            .map(({ name, value }) => `${name}: ${value}`)
            .join(", "),
        ),
      onConsumed: () => {},
      onIdleFrame: () => {},
    },
    10_000,
  ).push(Buffer.concat(bytes));
  return frames;
}

test("answers a request, also when its bytes come one by one", () => {
  const { network, log, uni } = connect();
  uni(settings);
  const stream = network.client.connection.openStream("bidi") as QuicStream;
  const answer = collect(stream);
  for (const byte of Buffer.concat([
    headersFrame([":method", "POST"], [":scheme", "https"], [":authority", "a"], [":path", "/late"]),
    dataFrame("body"),
    encodeFrame(0x21, Buffer.from("grease")),
    headersFrame(["x-sum", "5"]),
  ])) {
    stream.write(Buffer.of(byte));
    network.pass(1);
  }
  stream.end();
  network.run(() => answer.ended);
  expect(log).toEqual(["POST /late", "data b", "data o", "data d", "data y", "end x-sum,5"]);
  expect(framesOf(answer.bytes)).toEqual([":status: 204", "x-trailer: 1"]);
});

test("announces its limits and answers a GET", () => {
  const { network, request } = connect();
  const { stream, answer } = request(headersFrame(...get));
  stream.end();
  network.run(() => answer.ended && network.client.streams.length > 0);
  expect(framesOf(answer.bytes)).toEqual([":status: 200, content-length: 2", "ok"]);
  const control = collect(network.client.streams[0]!);
  network.pass(200);
  // This happened before the handler existed: the handler of a stream is set immediately.
  expect(control.bytes).toEqual([]);
});

test.each([
  [
    "a body longer than content-length",
    [headersFrame(...late("POST"), ["content-length", "2"]), dataFrame("abc")],
    0x10e,
  ],
  ["no :path", [headersFrame([":method", "GET"], [":scheme", "https"])], 0x10e],
  ["an upper-case name", [headersFrame(...get, ["X-Name", "1"])], 0x10e],
  ["a field of connections", [headersFrame(...get, ["connection", "close"])], 0x10e],
  ["a pseudo field in trailers", [headersFrame(...late("POST")), headersFrame([":path", "/"])], 0x10e],
])("resets the stream of a request with %s", (_, frames, code) => {
  const { network, request } = connect();
  const { answer } = request(...frames);
  network.run(() => answer.reset !== undefined);
  expect(answer.reset).toBe(code);
  expect(network.client.closed).toBeUndefined();
});

test.each([
  [
    "a body shorter than content-length",
    [headersFrame(...late("POST"), ["content-length", "9"]), dataFrame("abc")],
    0x10e,
  ],
  ["no head", [], 0x10d],
])("resets the stream of a request that ends with %s", (_, frames, code) => {
  const { network, request } = connect();
  const { stream, answer } = request(...frames);
  stream.end();
  network.run(() => answer.reset !== undefined);
  expect(answer.reset).toBe(code);
});

test("answers fields over its limit with 431", () => {
  const { network, request } = connect();
  const { answer } = request(headersFrame(...get, ["x-long", "v".repeat(5_000)]));
  network.run(() => answer.ended);
  expect(framesOf(answer.bytes)).toEqual([":status: 431, content-length: 0"]);
});

test.each([
  ["DATA before HEADERS", "bidi", dataFrame("x"), 0x105],
  ["SETTINGS in a request", "bidi", encodeFrame(0x04, Buffer.alloc(0)), 0x105],
  ["a frame of HTTP/2", "bidi", encodeFrame(0x06, Buffer.alloc(0)), 0x105],
  ["a field section that is none", "bidi", encodeFrame(0x01, Buffer.from("0000ff24", "hex")), 0x200],
  ["a control stream without SETTINGS", "uni", Buffer.from("00070100", "hex"), 0x10a],
  ["SETTINGS twice", "uni", Buffer.from("000400" + "0400", "hex"), 0x105],
  ["a setting of HTTP/2", "uni", Buffer.from("0004020201", "hex"), 0x109],
  ["a setting twice", "uni", Buffer.from("00040406010601", "hex"), 0x109],
  ["a push", "uni", Buffer.from("01", "hex"), 0x103],
  ["a dynamic table over the limit", "uni", Buffer.from("023fe21f", "hex"), 0x201],
  ["an acknowledged section", "uni", Buffer.from("0380", "hex"), 0x202],
  ["a smaller MAX_PUSH_ID", "uni", Buffer.from("000400" + "0d0105" + "0d0104", "hex"), 0x108],
  ["a push that is cancelled", "uni", Buffer.from("000400" + "030100", "hex"), 0x108],
  ["GOAWAY of two numbers", "uni", Buffer.from("000400" + "07020000", "hex"), 0x106],
] as const)("ends the connection for %s", (_, kind, bytes, code) => {
  const { network, log } = connect();
  const stream = network.client.connection.openStream(kind) as QuicStream;
  collect(stream);
  stream.write(bytes);
  network.run(() => network.client.closed !== undefined);
  expect(network.client.closed).toMatchObject({ by: "peer", application: true, code });
  expect(log).toContain(`closed by us ${code.toString(16)}`);
});

test("ends the connection when a control stream ends, and when there are two", () => {
  const ended = connect();
  ended.uni(settings).end();
  ended.network.run(() => ended.network.client.closed !== undefined);
  expect(ended.network.client.closed).toMatchObject({ code: 0x104 });
  const twice = connect();
  twice.uni(settings);
  twice.uni(settings);
  twice.network.run(() => twice.network.client.closed !== undefined);
  expect(twice.network.client.closed).toMatchObject({ code: 0x103 });
});

test("passes over streams and settings that it does not know", () => {
  const { network, request, uni } = connect();
  uni(Buffer.from("000403" + "214001", "hex"));
  uni(Buffer.from("4021616263", "hex"));
  const { answer } = request(headersFrame(...get));
  network.run(() => answer.ended);
  expect(network.client.closed).toBeUndefined();
});

test("tells a handler that the client gave up, and when the connection ends", () => {
  const { network, log, request } = connect();
  const first = request(headersFrame(...late("POST")));
  request(headersFrame(...late("PUT")));
  network.run(() => log.length === 2);
  first.stream.reset(0x10c);
  network.run(() => log.length === 3);
  network.client.connection.close(0x100, "", network.now);
  network.run(() => log.length === 5);
  expect(log).toEqual(["POST /late", "PUT /late", "abort 10c", "abort 100", "closed by peer 100"]);
});

test("goes away after the last request, and refuses later ones", () => {
  const { network, log, request, sessions } = connect();
  const first = request(headersFrame(...late("POST")));
  network.run(() => log.length === 1);
  sessions[0]!.goAway();
  network.pass(100);
  const second = request(headersFrame(...get));
  network.run(() => second.answer.reset !== undefined);
  expect(second.answer.reset).toBe(0x10b);
  expect(network.client.closed).toBeUndefined();
  first.stream.end();
  network.run(() => network.client.closed !== undefined);
  expect(first.answer.ended).toBe(true);
  expect(network.client.closed).toMatchObject({ by: "peer", application: true, code: 0x100 });
});

test("ends a connection that breaks off one request after the other", () => {
  const { network } = connect();
  while (network.client.closed === undefined) {
    const stream = network.client.connection.openStream("bidi");
    if (stream === undefined) {
      network.pass(10);
      continue;
    }
    stream.write(headersFrame(...late("GET")));
    stream.reset(0x10c);
    expect(stream.id).toBeLessThan(4 * 3_000);
  }
  expect(network.client.closed).toMatchObject({ by: "peer", code: 0x107 });
});

function late(method: string): [string, string][] {
  return get.map(([name, value]) =>
    name === ":method" ? [name, method] : name === ":path" ? [name, "/late"] : [name, value],
  );
}

test.each([
  [
    "takes a CONNECT that names a protocol where SETTINGS allow it",
    true,
    ["CONNECT /chat for websocket"],
    undefined,
    "0801",
  ],
  ["refuses such a CONNECT where they do not", false, [], 0x10e, "0800"],
])("%s", (_, extendedConnect, expected, reset, setting) => {
  const { network, log, request } = connect({}, extendedConnect);
  const { answer } = request(
    headersFrame(
      [":method", "CONNECT"],
      [":protocol", "websocket"],
      [":scheme", "https"],
      [":authority", "shop.example"],
      [":path", "/chat"],
    ),
  );
  network.pass(200);
  expect(log).toEqual(expected);
  expect(answer.reset).toBe(reset);
  expect(encodeControlStream(2_000, { extendedConnect }).toString("hex")).toMatch(new RegExp(`${setting}$`));
});
