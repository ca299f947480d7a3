import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import {
  clientPreface,
  encodeFrame,
  encodeGoAway,
  encodeHeaders,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameTypes,
  settingIds,
} from "http-protocols/http2";
import { ask } from "server-core/testing/ask";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
const sessions: ClientHttp2Session[] = [];
beforeAll(async () => {
  running = await RunningServer.start();
});
afterEach(() => {
  for (const session of sessions.splice(0)) {
    session.destroy();
  }
});
afterAll(() => running.close());

/** A page that pushes, and resources below /r whose answer shows their request. */
async function load(push: object, more: readonly object[] = []): Promise<void> {
  const asked = [
    "method",
    "uri",
    "header.Caddy-Push",
    "header.Accept-Language",
    "header.Cookie",
    "header.X-More",
  ];
  const body = asked.map((each) => `{http.request.${each}}`).join("|");
  const routes = [
    { match: [{ path: ["/big*"] }], handle: [{ handler: "static_response", body: "b".repeat(200_000) }] },
    {
      match: [{ path: ["/r*"] }],
      handle: [
        { handler: "push", resources: [{ target: "/never" }] },
        { handler: "static_response", body },
      ],
    },
    { handle: [{ handler: "push", ...push }, ...more, { handler: "static_response", body: "page" }] },
  ];
  const s = { listen: ["127.0.0.1:0"], protocols: ["h1", "h2", "h2c"], routes };
  expect(await running.admin("POST", "/load", { apps: { http: { servers: { s } } } })).toMatchObject({
    status: 200,
  });
}

const links = (...values: string[]) => ({ handler: "headers", response: { set: { Link: values } } });

interface Push {
  readonly stream: ClientHttp2Stream;
  readonly request: IncomingHttpHeaders;
  readonly head: Promise<IncomingHttpHeaders>;
}

/** A client, and the pushes that came so far. */
async function connect(settings: object = {}) {
  const session = connectHttp2(running.site, { settings });
  sessions.push(session);
  const pushes: Push[] = [];
  session.on("stream", (stream: ClientHttp2Stream, request: IncomingHttpHeaders) => {
    stream.on("error", () => {});
    pushes.push({ stream, request, head: once(stream, "push").then(([head]) => head) });
  });
  await once(session, "connect");
  return { session, pushes };
}

/** Waits for the end of the response, which comes after all of its promises. */
async function get(session: ClientHttp2Session, path = "/", headers: object = {}): Promise<string> {
  return text(session.request({ ":path": path, ...headers }));
}

test("pushes resources with the fields of the request that matter, once each", async () => {
  await load({
    resources: [
      { target: "/r1" },
      { method: "HEAD", target: "/r2?host={http.request.host}" },
      { target: "/r1" },
      { method: "POST", target: "/r3" },
      { target: "r4" },
      { target: "https://other.example/r5" },
      { target: "//other.example/r6" },
      { target: "http://{http.request.hostport}/r ü#top" },
    ],
    headers: { set: { "X-More": ["{http.request.uri.path}"] } },
  });
  const { session, pushes } = await connect();
  expect(await get(session, "/page", { "accept-language": "de", cookie: "a=b" })).toBe("page");
  expect(pushes.map((each) => [each.request[":method"], each.request[":path"], each.stream.id])).toEqual([
    ["GET", "/r1", 2],
    ["HEAD", "/r2?host=127.0.0.1", 4],
    ["GET", "/r%20%C3%BC", 6],
  ]);
  const { host } = new URL(running.site);
  expect(pushes[0]?.request).toMatchObject({
    ":scheme": "http",
    ":authority": host,
    "accept-language": "de",
    "caddy-push": "1",
    "x-more": "/page",
  });
  const bodies = await Promise.all(pushes.map(({ stream }) => text(stream)));
  expect(bodies).toEqual(["GET|/r1|1|de||/page", "", "GET|/r%20%C3%BC|1|de||/page"]);
  expect(await pushes[1]?.head).toMatchObject({
    ":status": 200,
    "content-type": "text/plain; charset=utf-8",
  });
});

test("pushes what Link fields of the response preload, also those of handlers around", async () => {
  await load({ resources: [{ target: "/r1" }] }, [
    links(
      "</r1>; rel=preload, </r2>; rel=preload; as=style",
      "</r3>; rel=preload; nopush",
      "</r4>; rel=next",
      "<https://x/r5>; rel=preload",
    ),
    { handler: "push" },
  ]);
  const { session, pushes } = await connect();
  await get(session);
  expect(pushes.map((each) => each.request[":path"])).toEqual(["/r1", "/r2"]);
});

test("pushes nothing to who asks in its name, over HTTP/1, or with push turned off", async () => {
  await load({ resources: [{ target: "/r1" }] }, [links("</r2>; rel=preload")]);
  expect((await ask(running.site)).text).toBe("page");
  const off = await connect({ enablePush: false });
  expect(await get(off.session)).toBe("page");
  expect(off.pushes).toEqual([]);
  const on = await connect();
  expect(await get(on.session, "/", { "caddy-push": "1" })).toBe("page");
  expect(on.pushes).toEqual([]);
  on.session.settings({ enablePush: true });
  expect(await get(on.session)).toBe("page");
  expect(on.pushes).toHaveLength(2);
});

test("pushes at once as many as the client allows, and a hundred at most", async () => {
  const resources = Array.from({ length: 150 }, (_, index) => ({ target: `/r${index}` }));
  await load({ resources });
  const few = await connect({ maxConcurrentStreams: 3 });
  await get(few.session);
  await Promise.all(few.pushes.map(({ stream }) => text(stream)));
  await get(few.session);
  // This client also counts its own request: it resets the third push of each round, 6 and 12.
  expect(few.pushes.map((each) => each.stream.id)).toEqual([2, 4, 8, 10]);
  const many = await connect({ maxConcurrentStreams: 1_000 });
  await get(many.session);
  expect(many.pushes).toHaveLength(100);
});

test("obeys the windows of the client, and goes on when they grow", async () => {
  await load({ resources: [{ target: "/big1" }, { target: "/big2" }] });
  const { session, pushes } = await connect({ initialWindowSize: 1_000 });
  await get(session);
  const bodies = await Promise.all(pushes.map(({ stream }) => text(stream)));
  expect(bodies.map((each) => each.length)).toEqual([200_000, 200_000]);
});

test("a pushed stream that the client breaks off ends, and leaves its room to others", async () => {
  await load({ resources: [{ target: "/big1" }, { target: "/big2" }] });
  const { session, pushes } = await connect({ maxConcurrentStreams: 2, initialWindowSize: 1_000 });
  // This client itself resets the second push of each round.
  for (let round = 1; round <= 60; round++) {
    expect(await get(session)).toBe("page");
    const last = pushes.at(-1)?.stream;
    if (last !== undefined && !last.closed) {
      last.close(constants.NGHTTP2_CANCEL);
      await once(last, "close");
    }
  }
  // A client that cancels a hundred pushes gets no more of them.
  expect(pushes.map((each) => each.stream.id)).toEqual(
    Array.from({ length: 50 }, (_, index) => 2 + 4 * index),
  );
});

test("a connection that is closed in order gets its pushes to the end, and one that is cut forgets them", async () => {
  await load({ resources: [{ target: "/big" }] });
  const { session, pushes } = await connect();
  const closed = once(session, "close");
  await get(session);
  const pushed = text(pushes[0]?.stream as ClientHttp2Stream);
  const cut = await connect({ initialWindowSize: 10 });
  await get(cut.session);
  cut.session.destroy();
  expect((await running.admin("DELETE", "/config/apps")).status).toBe(200);
  expect((await pushed).length).toBe(200_000);
  await closed;
});

test("a client that leaves gets the pushes that it took notice of", async () => {
  await load({ resources: [{ target: "/big" }] });
  const { session, pushes } = await connect({ initialWindowSize: 1_000 });
  await get(session);
  const pushed = pushes[0]?.stream as ClientHttp2Stream;
  await pushes[0]?.head;
  session.close();
  expect((await text(pushed)).length).toBe(200_000);
});

/** The frames in order of arrival as `type stream payload`, with the first 8 bytes of the payload. */
async function* framesOf(socket: Socket): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3);
      yield `${rest[3]} ${rest.readUInt32BE(5)} ${rest.toString("hex", 9, Math.min(end, 17))}`;
      rest = rest.subarray(end);
    }
  }
}

test("drops pushes above the last stream of a GOAWAY, and takes no DATA on others", async () => {
  await load({ resources: [{ target: "/big1" }, { target: "/big2" }] });
  const { host, hostname, port } = new URL(running.site);
  const socket = connectTcp(Number(port), hostname);
  const frames = framesOf(socket);
  const until = async (start: string) => {
    for await (const frame of { [Symbol.asyncIterator]: () => ({ next: () => frames.next() }) }) {
      if (frame.startsWith(start)) {
        return frame;
      }
    }
    return undefined;
  };
  const fields = { ":method": "GET", ":scheme": "http", ":authority": host, ":path": "/" };
  const block = encodeHeaders(Object.entries(fields).map(([name, value]) => ({ name, value })));
  socket.write(clientPreface);
  socket.write(encodeSettings(new Map([[settingIds.initialWindowSize, 10]])));
  socket.write(encodeFrame(frameTypes.headers, frameFlags.endHeaders | frameFlags.endStream, 1, block));
  expect(await until(`${frameTypes.pushPromise} 1 `)).toMatch(/^5 1 00000002/);
  expect(await until(`${frameTypes.pushPromise} 1 `)).toMatch(/^5 1 00000004/);
  expect(await until(`${frameTypes.data} 4 `)).toBeDefined();
  socket.write(encodeGoAway(2, errorCodes.noError));
  expect(await until(`${frameTypes.rstStream} `)).toBe("3 4 00000008");
  socket.write(encodeWindowUpdate(2, 5));
  expect(await until(`${frameTypes.data} 2 `)).toBe(`0 2 ${Buffer.from("bbbbb").toString("hex")}`);
  socket.write(encodeFrame(frameTypes.data, 0, 2, Buffer.from("x")));
  expect(await until(`${frameTypes.goAway} `)).toBe("7 0 0000000100000001");
  socket.destroy();
});

test("pushes over TLS too", async () => {
  const handle = [
    { handler: "push", resources: [{ target: "/r" }] },
    { handler: "static_response", body: "{http.request.scheme} {http.request.uri}" },
  ];
  const s = {
    listen: ["127.0.0.1:0"],
    tls_connection_policies: [{}],
    routes: [{ match: [{ host: ["a.localhost"] }], handle }],
  };
  expect((await running.admin("POST", "/load", { apps: { http: { servers: { s } } } })).status).toBe(200);
  const session = connectHttp2(`https://127.0.0.1:${new URL(running.site).port}`, {
    servername: "a.localhost",
    rejectUnauthorized: false,
  });
  sessions.push(session);
  const promised = once(session, "stream");
  const page = get(session, "/", { ":authority": "a.localhost" });
  const [stream, request] = await promised;
  expect(request).toMatchObject({ ":scheme": "https", ":authority": "a.localhost", ":path": "/r" });
  expect([await page, await text(stream)]).toEqual(["https /", "https /r"]);
});
