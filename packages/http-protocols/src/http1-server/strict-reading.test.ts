// Bytes that two readers could understand differently. The list equals the list of the web server
// (`http-engine/src/h1/smuggling.test.ts`).
import { describe, expect, test } from "vitest";
import { bodyOf, openHttp1, RawClient, rawAnswer, statusesOf } from "../testing/raw-http1.ts";
import type { Http1Handler } from "./http1-server.ts";

/** Answers with the target and the body; a broken body is 422. */
const echo: Http1Handler = (request, response) => {
  bodyOf(request).then(
    (body) => response.end(`reached ${request.url} [${body}]`),
    (error: Error) => response.writeHead(422).end(error.message),
  );
};

const host = "Host: a\r\n";
const post = `POST / HTTP/1.1\r\n${host}`;
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;
const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

test.each([
  ["CL.TE", `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["TE.CL", `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n`, 400],
  ["TE.TE, hidden by a blank", `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 400],
  ["TE.TE, two codings", `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n`, 400],
  ["chunked twice", `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, 400],
  ["gzip, chunked", `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
  ["an empty coding", `${post}Transfer-Encoding:\r\n\r\n`, 400],
  ["chunked in HTTP/1.0", `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["different lengths", `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
  ["the same length twice", `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, 400],
  ["a signed length", `${post}Content-Length: +1\r\n\r\na`, 400],
  ["a length past 2^53", `${post}Content-Length: 99999999999999999999\r\n\r\na`, 400],
  ["a folded field", `GET / HTTP/1.1\r\n${host}A: b\r\n c\r\n\r\n`, 400],
  ["a bare LF after a field", `GET / HTTP/1.1\r\n${host}A: b\nC: d\r\n\r\n`, 400],
  ["bare LFs altogether", "GET / HTTP/1.1\nHost: a\n\n", 400],
  ["a bare CR", `GET / HTTP/1.1\r\n${host}A: b\rC: d\r\n\r\n`, 400],
  ["a NUL", `GET / HTTP/1.1\r\n${host}A: \0\r\n\r\n`, 400],
  ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400],
  ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
  ["HTTP/2.0", `GET / HTTP/2.0\r\n${host}\r\n`, 400],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["CONNECT", `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`, 400],
  ["bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00", 400],
  ["an unknown expectation", `GET / HTTP/1.1\r\n${host}Expect: x\r\n\r\n`, 417],
  ["a head over the limit", `GET / HTTP/1.1\r\n${host}A: ${"a".repeat(17_000)}\r\n\r\n`, 431],
  ["many thousand fields", `GET / HTTP/1.1\r\n${host}${"a:\r\n".repeat(6_000)}\r\n`, 431],
])("%s: refused, and nothing behind it is read", async (_, request, status) => {
  const { port, faults } = await openHttp1(echo);
  const answer = await rawAnswer(port, request + hidden);
  expect(statusesOf(answer)).toEqual([status]);
  expect(answer).not.toContain("reached");
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head).toContain("\r\nConnection: close");
  expect(head).toContain(`\r\nContent-Length: ${body.length}\r\n`);
  expect(faults).toEqual([]);
});

describe("bodies in chunks", () => {
  test.each([
    ["a size that is no number", "zz\r\nabc\r\n0\r\n\r\n"],
    ["a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"],
    ["a negative size", "-3\r\nabc\r\n0\r\n\r\n"],
    ["a size past 2^53", "fffffffffffffff\r\nabc\r\n0\r\n\r\n"],
    ["a blank before the size", " 3\r\nabc\r\n0\r\n\r\n"],
    ["an empty size", "\r\nabc\r\n0\r\n\r\n"],
    ["a bare LF after the size", "3\nabc\r\n0\r\n\r\n"],
    ["a bare LF in an extension", "3;x\nabc\r\n0\r\n\r\n"],
    ["an endless extension", `3;${"x".repeat(5_000)}\r\nabc\r\n0\r\n\r\n`],
    ["a chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n"],
    ["a bad trailer", "3\r\nabc\r\n0\r\nno trailer\r\n\r\n"],
  ])("%s: the handler answers the fault, and nothing behind it is read", async (_, body) => {
    const { port } = await openHttp1(echo);
    const answer = await rawAnswer(port, chunked + body + hidden);
    expect(statusesOf(answer)).toEqual([422]);
    expect(answer).toContain("\r\nConnection: close\r\n");
  });

  test("a fault in a body that is dropped ends the connection behind the response", async () => {
    const { port } = await openHttp1((request, response) => {
      response.writeHead(404).end();
      request.dropBody();
    });
    expect(statusesOf(await rawAnswer(port, `${chunked}zz\r\n${hidden}`))).toEqual([404]);
  });

  test("extensions and trailers are read over", async () => {
    const { port } = await openHttp1(echo);
    const body = '3;a=b;c="d"\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n';
    const last = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const answer = await rawAnswer(port, chunked + body + last);
    expect(answer.match(/reached .*?\]/g)).toEqual(["reached / [abc]", "reached /next []"]);
  });
});

const pipeline = [
  `GET /1 HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  `POST /2 HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`,
  `\r\nPOST /3 HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n`,
  `HEAD /4 HTTP/1.1\r\n${host}\r\n`,
  `GET http://a/5 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  hidden,
];

test("a pipeline is answered in order, however long each answer takes", async () => {
  const { port } = await openHttp1((request, response) => {
    const wait = request.url === "/1" ? 20 : 0;
    setTimeout(() => echo(request, response), wait);
  });
  const answer = await rawAnswer(port, pipeline.join(""));
  expect(answer.match(/reached .*?\]/g)).toEqual([
    "reached /1 []",
    "reached /2 [abc]",
    "reached /3 [abcd]",
    "reached http://a/5 []",
  ]);
  expect(statusesOf(answer)).toEqual([200, 200, 200, 200, 200]);
});

test("a pipeline is understood however it is cut into packets", async () => {
  const { port } = await openHttp1(echo);
  const client = new RawClient(port);
  for (const byte of Buffer.from(pipeline.slice(0, 5).join(""))) {
    await new Promise<void>((resolve) =>
      client.socket.write(Buffer.from([byte]), () => setImmediate(resolve)),
    );
  }
  expect(statusesOf(await client.end())).toEqual([200, 200, 200, 200, 200]);
});
