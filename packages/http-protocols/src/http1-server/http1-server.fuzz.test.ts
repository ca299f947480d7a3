import { connect } from "node:net";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { bodyOf, openHttp1, rawAnswer } from "../testing/raw-http1.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 1_500);
const timeoutMs = 60_000 + rounds * 10;

const host = "Host: a\r\n";
const conversations: readonly Buffer[] = [
  `POST /v1/traces HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"spans":[]}`,
  `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n3\r\nabc\r\n0\r\nX-T: t\r\n\r\n`,
  `GET /a?b HTTP/1.1\r\n${host}Expect: 100-continue\r\n\r\nHEAD /c HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
  `POST / HTTP/1.1\r\n${host}Content-Length: 3\r\nConnection: close\r\n\r\nabcGET / HTTP/1.1\r\n${host}\r\n`,
].map((text) => Buffer.from(text, "latin1"));

/** All that the server answers to bytes that come in pieces, until it has closed. */
function exchange(port: number, bytes: Buffer, pieces: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    let seen = "";
    socket.on("data", (chunk: Buffer) => {
      seen += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(seen));
    const size = Math.max(1, Math.ceil(bytes.length / pieces));
    const send = (at: number): void => {
      if (at >= bytes.length) {
        socket.end();
      } else {
        socket.write(bytes.subarray(at, at + size), () => setImmediate(send, at + size));
      }
    };
    socket.on("connect", () => send(0));
  });
}

/** Complete responses and nothing else. */
const responses =
  /^(?:HTTP\/1\.1 (?:100 Continue\r\n\r\n|(?:200|400|408|417|431) [^\r\n]+\r\n(?:[A-Z][\w-]*: [^\r\n]+\r\n)+\r\n[\s\S]*?))*$/;

test(
  "a server answers damaged requests with whole responses, faults never, and serves the next client",
  async () => {
    const { port, faults } = await openHttp1((request, response) => {
      bodyOf(request).then(
        (body) => response.end(`${body.length}`),
        () => response.writeHead(400).end(),
      );
    });
    for (let round = 0; round < rounds; round++) {
      const random = randomOf(round);
      const bytes = damagedMessage(conversations, random);
      const answer = await exchange(port, bytes, 1 + (round % 4));
      expect(answer, `round ${round}: ${JSON.stringify(bytes.toString("latin1"))}`).toMatch(responses);
    }
    expect(faults).toEqual([]);
    expect(await rawAnswer(port, `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).toMatch(/\r\n\r\n0$/);
  },
  timeoutMs,
);
