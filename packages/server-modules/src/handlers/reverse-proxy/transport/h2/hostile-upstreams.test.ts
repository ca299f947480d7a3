import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import {
  clientPreface,
  encodeFrame,
  encodeGoAway,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  errorCodes,
  FrameReader,
  frameFlags,
  frameTypes,
} from "http-protocols/http2";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

/** Sends bytes when the head of a request has arrived, or its end. */
type Answer = (socket: Socket, streamId: number, type: number) => void;

/** An HTTP/2 upstream that sends arbitrary bytes. @returns its address, and a function that counts its connections */
async function upstream(answer: Answer): Promise<{ address: string; count: () => number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.write(encodeSettings(new Map()));
    const frame = (type: number, _flags: number, streamId: number) => {
      if (streamId > 0) {
        answer(socket, streamId, type);
      }
    };
    const reader = new FrameReader({ frame }, clientPreface);
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => sockets.length };
}

/** The proxy answers with the upstream's response, or with 502 and the error as text. */
async function proxyTo(address: string): Promise<void> {
  const transport = { protocol: "http", versions: ["h2c"] };
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: address }], transport };
  const page = {
    handler: "static_response",
    status_code: "{http.error.status_code}",
    body: "{http.error.message}",
  };
  const server = {
    listen: ["127.0.0.1:0"],
    routes: [{ handle: [proxy] }],
    errors: { routes: [{ handle: [page] }] },
  };
  expect((await running.admin("POST", "/load", { apps: { http: { servers: { s: server } } } })).error).toBe(
    "",
  );
}

function head(streamId: number, fields: readonly string[], endsStream = false): Buffer {
  const list = fields.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: fields[at + 1] ?? "" }] : []));
  const flags = frameFlags.endHeaders | (endsStream ? frameFlags.endStream : 0);
  return encodeFrame(frameTypes.headers, flags, streamId, encodeHeaders(list));
}

const ok = (streamId: number) => head(streamId, [":status", "204"], true);

test.each<[string, RegExp, (streamId: number) => Buffer]>([
  ["a head without status", /malformed response: field :status is missing/, (id) => head(id, ["x-a", "1"])],
  [
    "a field of a connection",
    /malformed response: field transfer-encoding/,
    (id) => head(id, [":status", "200", "transfer-encoding", "chunked"]),
  ],
  [
    "DATA before the head",
    /malformed response: DATA before the head/,
    (id) => encodeFrame(frameTypes.data, 0, id, Buffer.from("a")),
  ],
  [
    "a reset",
    /the stream was reset with INTERNAL_ERROR \(2\)/,
    (id) => encodeRstStream(id, errorCodes.internalError),
  ],
  [
    "text",
    /the server broke HTTP\/2: frame of \d+ bytes/,
    () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
  ],
  [
    "a push",
    /the server broke HTTP\/2: PUSH_PROMISE/,
    (id) => encodeFrame(frameTypes.pushPromise, 4, id, Buffer.alloc(5)),
  ],
  [
    "more than 32 interim answers",
    /more than 32 interim responses/,
    (id) => Buffer.concat(Array.from({ length: 33 }, () => head(id, [":status", "103"]))),
  ],
  ["leaving, for HTTP/1.1 alone", /went away with HTTP_1_1_REQUIRED \(13\)/, () => encodeGoAway(0, 13)],
])("an upstream that answers with %s costs one request, and the reason is told", async (_, reason, bytes) => {
  let asked = 0;
  const { address } = await upstream((socket, streamId, type) => {
    if (type === frameTypes.headers) {
      asked++;
      socket.write(asked === 1 ? bytes(streamId) : ok(streamId));
    }
  });
  await proxyTo(address);
  const answer = await ask(running.site, { method: "POST", headers: { "Content-Length": "0" } });
  expect(answer.status).toBe(502);
  expect(answer.text).toMatch(reason);
  expect((await ask(running.site)).status).toBe(204);
  expect(asked).toBe(2);
});

test("a connection serves on after requests that their clients left, or that went wrong, whatever of them was sent", async () => {
  // The bodies have twenty megabytes in all: more than the window of the connection, which must be returned
  // (golang/go#28204, #54185, #56558).
  const piece = encodeFrame(frameTypes.data, 0, 1, Buffer.alloc(16_384));
  const { address, count } = await upstream((socket, streamId, type) => {
    if (type !== frameTypes.headers) {
      return;
    }
    if (streamId > 40) {
      socket.write(ok(streamId));
      return;
    }
    socket.write(head(streamId, [":status", "200", "content-length", "5"]));
    piece.writeUInt32BE(streamId, 5);
    socket.write(Buffer.concat(Array.from({ length: 60 }, () => piece)));
  });
  await proxyTo(address);
  for (let index = 0; index < 20; index++) {
    await ask(running.site).catch(() => "cut");
  }
  expect((await ask(running.site)).status).toBe(204);
  expect(count()).toBe(1);
});

test("a request whose body breaks off is broken off upstream too, and takes no room there (golang/go#27208)", async () => {
  const reset = Promise.withResolvers<number>();
  const body = new Readable({ read() {} });
  const { address, count } = await upstream((socket, streamId, type) => {
    if (type === frameTypes.rstStream) {
      reset.resolve(streamId);
    } else if (streamId > 1) {
      socket.write(ok(streamId));
    } else if (type === frameTypes.data) {
      body.destroy(new Error("gone"));
    }
  });
  await proxyTo(address);
  body.push("begun");
  const broken = fetch(running.site, {
    method: "POST",
    body: Readable.toWeb(body) as never,
    duplex: "half",
  } as never);
  await expect(broken).rejects.toThrow();
  expect(await reset.promise).toBe(1);
  expect((await ask(running.site)).status).toBe(204);
  expect(count()).toBe(1);
});

test("a connection that ends in order is no failure of its upstream (nginx/nginx#1431)", async () => {
  let asked = 0;
  const { address, count } = await upstream((socket, streamId, type) => {
    if (type === frameTypes.headers) {
      asked++;
      // Each connection serves one request, and announces its end together with the answer.
      socket.write(Buffer.concat([ok(streamId), encodeGoAway(streamId, errorCodes.noError)]));
    }
  });
  await proxyTo(address);
  const post = { method: "POST", headers: { "Content-Length": "0" } };
  for (let index = 0; index < 5; index++) {
    expect((await ask(running.site, post)).status).toBe(204);
  }
  expect([asked, count()]).toEqual([5, 5]);
  const { text } = await running.admin("GET", "/reverse_proxy/upstreams");
  expect(JSON.parse(text)).toMatchObject([{ fails: 0 }]);
});

test("an upstream that sends requests away again and again is not asked without end (curl/curl#5119)", async () => {
  let asked = 0;
  const { address } = await upstream((socket, _streamId, type) => {
    if (type === frameTypes.headers) {
      asked++;
      socket.write(encodeGoAway(0, errorCodes.enhanceYourCalm));
    }
  });
  await proxyTo(address);
  const answers = await Promise.all([ask(running.site), ask(running.site)]);
  expect(answers.map(({ status }) => status)).toEqual([502, 502]);
  expect(asked).toBeLessThan(10);
});
