import { once } from "node:events";
import { connect } from "node:net";
import { rawRequest } from "server-core/testing/raw-request";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("reached {http.request.uri}")));
});
afterAll(() => running.close());

const host = "Host: a\r\n";
const post = `POST / HTTP/1.1\r\n${host}`;
const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

const statusesOf = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

describe("two readers could see different requests in", () => {
  test.each([
    ["CL.TE", `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`, 400],
    ["TE.CL", `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n${hidden}`, 400],
    ["TE.TE, hidden by a blank", `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 400],
    ["TE.TE, two codings", `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n`, 400],
    [
      "TE.TE, an unknown one first",
      `${post}Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      501,
    ],
    ["chunked twice", `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, 400],
    ["gzip, chunked", `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
    ["identity", `${post}Transfer-Encoding: identity\r\n\r\n`, 501],
    ["an empty coding", `${post}Transfer-Encoding:\r\n\r\n`, 501],
    ["chunked after a vertical tab", `${post}Transfer-Encoding: \x0bchunked\r\n\r\n`, 400],
    ["chunked in HTTP/1.0", `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ["different lengths", `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
    ["the same length twice", `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, 400],
    ["a list of lengths", `${post}Content-Length: 1, 1\r\n\r\na`, 400],
    ["a signed length", `${post}Content-Length: +1\r\n\r\na`, 400],
    ["a hexadecimal length", `${post}Content-Length: 0x1\r\n\r\na`, 400],
    ["a length past 2^53", `${post}Content-Length: 99999999999999999999\r\n\r\na`, 400],
    ["an empty length", `${post}Content-Length:\r\n\r\n`, 400],
    ["a folded field", `GET / HTTP/1.1\r\n${host}A: b\r\n c\r\n\r\n`, 400],
    ["a folded first field", `GET / HTTP/1.1\r\n A: b\r\n${host}\r\n`, 400],
    ["a field without a name", `GET / HTTP/1.1\r\n${host}: b\r\n\r\n`, 400],
    ["a field without a colon", `GET / HTTP/1.1\r\n${host}abc\r\n\r\n`, 400],
    ["a bare LF after a field", `GET / HTTP/1.1\r\n${host}A: b\nC: d\r\n\r\n`, 400],
    ["bare LFs altogether", "GET / HTTP/1.1\nHost: a\n\n", 400],
    ["a bare CR", `GET / HTTP/1.1\r\n${host}A: b\rC: d\r\n\r\n`, 400],
    ["a NUL", `GET / HTTP/1.1\r\n${host}A: \0\r\n\r\n`, 400],
    ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400],
    ["a Host that is not ASCII", "GET / HTTP/1.1\r\nHost: caf\xe9\r\n\r\n", 400],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["two blanks in the first line", `GET  / HTTP/1.1\r\n${host}\r\n`, 400],
    ["a tab in the first line", `GET\t/ HTTP/1.1\r\n${host}\r\n`, 400],
    ["a blank in the target", `GET /a b HTTP/1.1\r\n${host}\r\n`, 400],
    ["no version", `GET /\r\n${host}\r\n`, 400],
    ["a relative target", `GET a HTTP/1.1\r\n${host}\r\n`, 400],
    ["HTTP/2.0", `GET / HTTP/2.0\r\n${host}\r\n`, 505],
    ["HTTP/1.2", `GET / HTTP/1.2\r\n${host}\r\n`, 505],
    ["HTTP/0.9", `GET / HTTP/0.9\r\n${host}\r\n`, 505],
    ["lower-case http", `GET / http/1.1\r\n${host}\r\n`, 400],
    ["an unknown expectation", `GET / HTTP/1.1\r\n${host}Expect: x\r\n\r\n`, 417],
  ])("%s: refused", async (_, request, status) => {
    const answer = await rawRequest(running.site, request);
    expect(statusesOf(answer)).toEqual([status]);
    expect(answer).not.toContain("reached");
    expect(answer).toContain("Connection: close\r\n");
  });
});

test("a refusal says why, cut where the client sent much", async () => {
  const answer = await rawRequest(running.site, `GET / HTTP/1.1\r\nHost: ${"a b".repeat(200)}\r\n\r\n`);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head).toContain(`Content-Type: text/plain; charset=utf-8`);
  expect(head).toContain(`Content-Length: ${body.length}`);
  expect(body).toMatch(/^400 Bad Request: malformed Host header "a ba ba b/);
  expect(body.length).toBeLessThan(220);
  expect(await rawRequest(running.site, "GET / HTTP/2.0\r\n\r\n")).toMatch(
    /\r\n\r\n505 HTTP Version Not Supported: /,
  );
});

describe("bodies in chunks", () => {
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;
  test.each([
    ["a size that is no number", "zz\r\nabc\r\n0\r\n\r\n"],
    ["a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"],
    ["a negative size", "-3\r\nabc\r\n0\r\n\r\n"],
    ["a size past 2^53", "fffffffffffffff\r\nabc\r\n0\r\n\r\n"],
    ["a blank before the size", " 3\r\nabc\r\n0\r\n\r\n"],
    ["an empty size", "\r\nabc\r\n0\r\n\r\n"],
    ["a bare LF after the size", "3\nabc\r\n0\r\n\r\n"],
    ["a bare LF in an extension", `3;x\nabc\r\n0\r\n\r\n${hidden}`],
    ["a control character in an extension", "3;\x01\r\nabc\r\n0\r\n\r\n"],
    ["an endless extension", `3;${"x".repeat(5_000)}\r\nabc\r\n0\r\n\r\n`],
    ["a chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n"],
    ["a bad trailer", "3\r\nabc\r\n0\r\nno trailer\r\n\r\n"],
  ])("%s: 400 to who reads the body, and nothing after it is read", async (_, body) => {
    const upstream = await UpstreamServer.start((request, response) => {
      request.on("error", () => {});
      request.resume();
      request.on("end", () => response.end("whole"));
    });
    await running.admin(
      "POST",
      "/load",
      siteConfig({ handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] }),
    );
    const answer = await rawRequest(running.site, chunked + body);
    expect(statusesOf(answer)).toEqual([400]);
    await upstream.kill();
  });

  test("extensions and trailers are read over", async () => {
    await running.admin("POST", "/load", siteConfig(respond("reached {http.request.uri}")));
    const body = '3;a=b;c="d"\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n';
    const last = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const answer = await rawRequest(running.site, chunked + body + last);
    expect(statusesOf(answer)).toEqual([200, 200]);
    expect(answer).toMatch(/reached \/next$/);
  });
});

describe("a pipeline", () => {
  test("is answered in order, after declined upgrades and bodies that nobody reads too", async () => {
    await running.admin("POST", "/load", siteConfig(respond("[{http.request.uri}]")));
    const requests = [
      `GET /1 HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      `POST /2 HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`,
      `\r\nPOST /3 HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      `HEAD /4 HTTP/1.1\r\n${host}\r\n`,
      `GET /5 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
      hidden,
    ];
    const answer = await rawRequest(running.site, requests.join(""));
    expect(answer.match(/\[.*?\]/g)).toEqual(["[/1]", "[/2]", "[/3]", "[/5]"]);
    expect(statusesOf(answer)).toEqual([200, 200, 200, 200, 200]);
  });

  test("is understood however it is cut into packets", async () => {
    const { port } = new URL(running.site);
    const text = `POST /a HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nGET /b HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    const socket = connect({ port: Number(port), host: "127.0.0.1", noDelay: true });
    let seen = "";
    socket.on("data", (chunk) => {
      seen += String(chunk);
    });
    await once(socket, "connect");
    for (const byte of Buffer.from(text)) {
      await new Promise<void>((resolve) => socket.write(Buffer.from([byte]), () => setImmediate(resolve)));
    }
    await once(socket, "close");
    expect(seen.match(/\[.*?\]/g)).toEqual(["[/a]", "[/b]"]);
  });
});

describe("connections", () => {
  test("HTTP/1.0 closes unless it asks to keep the connection", async () => {
    expect(await rawRequest(running.site, "GET / HTTP/1.0\r\n\r\n")).toContain("Connection: close\r\n");
    const two = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n";
    expect(statusesOf(await rawRequest(running.site, two))).toEqual([200, 200]);
  });

  test("100-continue is sent when a body is read, and not when it is not", async () => {
    const expecting = `${post}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`;
    expect(statusesOf(await rawRequest(running.site, expecting))).toEqual([200]);
    const upstream = await UpstreamServer.start((request, response) => {
      request.resume();
      request.on("end", () => response.end("whole"));
    });
    await running.admin(
      "POST",
      "/load",
      siteConfig({ handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] }),
    );
    const { port } = new URL(running.site);
    const socket = connect(Number(port), "127.0.0.1");
    let seen = "";
    socket.on("data", (chunk) => {
      seen += String(chunk);
      if (seen.endsWith("100 Continue\r\n\r\n")) {
        socket.write("hello");
      }
      if (seen.endsWith("whole")) {
        socket.end();
      }
    });
    socket.write(expecting);
    await once(socket, "close");
    expect(statusesOf(seen)).toEqual([100, 200]);
    await upstream.kill();
  });

  test("a head over the limit is 431, one of many thousand fields too", async () => {
    await running.admin("POST", "/load", siteConfig(respond("x")));
    const long = await rawRequest(running.site, `GET / HTTP/1.1\r\n${host}A: ${"a".repeat(21_000)}\r\n\r\n`);
    expect(statusesOf(long)).toEqual([431]);
    const many = await rawRequest(running.site, `GET / HTTP/1.1\r\n${host}${"a:\r\n".repeat(6_000)}\r\n`);
    expect(statusesOf(many)).toEqual([431]);
    const within = `GET / HTTP/1.1\r\n${host}Connection: close\r\n${"a:\r\n".repeat(5_000)}\r\n`;
    expect(statusesOf(await rawRequest(running.site, within))).toEqual([200]);
  });

  test("invalid UTF-8 and any byte of a value pass as they are", async () => {
    await running.admin("POST", "/load", siteConfig(respond("{http.request.header.X}|{http.request.uri}")));
    const answer = await rawRequest(
      running.site,
      `GET /%ff%fe HTTP/1.1\r\n${host}X: \xff\xfe\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toMatch(/\|\/%ff%fe$/);
  });
});
