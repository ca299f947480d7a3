import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { clientPreface, encodeFrame, encodeHeaders, encodeSettings, frameTypes } from "http-protocols/http2";
import { afterEach, expect, test } from "vitest";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { HttpStream } from "../http-stream.ts";
import { H2Connection } from "./h2-connection.ts";

const cleanUp: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanUp.splice(0).reverse()) {
    clean();
  }
});

const endHeaders = 4;
const endStream = 1;
const limits: ConnectionLimits = {
  ...{ readHeaderTimeoutMs: 0, readTimeoutMs: 0, readIdleTimeoutMs: 0, readMinRate: 0 },
  ...{ writeTimeoutMs: 0, writeIdleTimeoutMs: 0, maxWriteChunk: 65_536, writeMinRate: 0, idleTimeoutMs: 0 },
  ...{ keepAliveMs: 0, keepAliveIntervalMs: 0, keepAliveCount: 0, maxHeaderBytes: 16_384 },
};
const get = [":method GET", ":scheme http", ":authority a", ":path /a"];

function head(fields: readonly string[], flags: number): Buffer {
  const pairs = fields.map((field) => {
    const [name = "", value = ""] = field.split(" ");
    return { name, value };
  });
  return encodeFrame(frameTypes.headers, endHeaders | flags, 1, encodeHeaders(pairs));
}

/**
 * Sends frames to a connection that responds with 200. @returns its response on stream 1, and the requests that it
 * passed on
 */
async function answerTo(frames: Buffer): Promise<{ types: number[]; last: Buffer; taken: string[] }> {
  const taken: string[] = [];
  const take = (stream: HttpStream) => {
    taken.push(`${stream.method} ${stream.target} ${stream.wholeBody ?? ""}`);
    stream.respond(200, [], "");
  };
  const ignore = () => {};
  const server = createServer((socket) => {
    new H2Connection(socket, { limits, take, fault: ignore, h2Closed: ignore, tunnelOpened: ignore }, 1);
  });
  cleanUp.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  cleanUp.push(() => client.destroy());
  client.write(Buffer.concat([clientPreface, encodeSettings(new Map()), frames]));
  const types: number[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of client) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const end = 9 + bytes.readUIntBE(0, 3);
      const frame = bytes.subarray(0, end);
      bytes = bytes.subarray(end);
      if (frame.readUInt32BE(5) === 1) {
        types.push(frame[3] ?? -1);
        const isLast = frame[3] === frameTypes.rstStream || ((frame[4] ?? 0) & endStream) !== 0;
        if (isLast) {
          return { types, last: frame.subarray(9), taken };
        }
      }
    }
  }
  throw new Error("the connection ended without an answer");
}

test("hands on a request once, with the body that came at once", async () => {
  const body = encodeFrame(frameTypes.data, endStream, 1, Buffer.from("abc"));
  const { types, taken } = await answerTo(Buffer.concat([head([...get, "content-length 3"], 0), body]));
  expect([types, taken]).toEqual([[frameTypes.headers], ["GET /a abc"]]);
});

test.each([
  ["without a path", get.slice(0, 3)],
  ["that ends and declares a body", [...get, "content-length 3"]],
])("sends back a head %s, and hands on nothing", async (_name, fields) => {
  const { types, last, taken } = await answerTo(head(fields, endStream));
  expect([types, last.readUInt32BE(0), taken]).toEqual([[frameTypes.rstStream], 1, []]);
});

test("answers 431 to a head of too many fields, and hands on nothing", async () => {
  const { last, taken } = await answerTo(head([...get, ...Array<string>(1_000).fill("a b")], endStream));
  expect([last.includes("431"), taken]).toEqual([true, []]);
});
