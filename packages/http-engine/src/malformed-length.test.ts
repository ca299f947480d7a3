import { once } from "node:events";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { rawRequest } from "server-core/testing/raw-request";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";

const lengths = ["-1", "+5", "0x5", "5e0", "abc", "5, 5", "", "9999999999999999"];

let running: RunningServer;
beforeAll(async () => {
  const routes = lengths.map((length, index) => ({
    match: [{ path: [`/${index}`] }],
    handle: [
      { handler: "headers", response: { set: { "Content-Length": [length] }, deferred: true } },
      { handler: "static_response", body: "hello" },
    ],
  }));
  running = await RunningServer.start({
    apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], protocols: ["h1", "h2c"], routes } } } },
  });
});
afterAll(() => running.close());

// A client reads such a response to the end of the connection, or takes the next response for its body.
test.each(lengths.map((length, index) => [length, index] as const))(
  "a response with Content-Length %j goes out without it",
  async (_length, index) => {
    const answer = await rawRequest(
      running.site,
      `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\nGET /${index} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.match(/^(?:content-length|transfer-encoding):.*/gim)).toEqual([
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: chunked",
    ]);
    expect(answer.match(/hello/g)).toHaveLength(2);

    const session = connect(running.site);
    const stream = session.request({ ":path": `/${index}` });
    const [headers] = await once(stream, "response");
    expect([headers["content-length"], await text(stream)]).toEqual([undefined, "hello"]);
    session.close();
  },
);
