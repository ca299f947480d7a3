import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
/** Answers a head, and closes without a look at the body: the client's system gets a reset. */
let hasty: Server;
beforeAll(async () => {
  running = await RunningServer.start();
  hasty = createServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.once("readable", () => {
      socket.read(1000);
      socket.write("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 4\r\n\r\nbig\n", () =>
        socket.destroy(),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(hasty, "listening");
});
afterAll(async () => {
  hasty.close();
  await running.close();
});

/** Sends a body in two parts. @returns status and body */
function post(length: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      running.site,
      { method: "POST", headers: { "Content-Length": length } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => resolve(`${answer.statusCode} ${Buffer.concat(parts)}`));
        answer.on("error", reject);
      },
    );
    sent.on("error", reject);
    const half = Buffer.alloc(length / 2);
    sent.write(half);
    setImmediate(() => sent.end(half));
  });
}

test("an answer that comes before the body was sent arrives, though the upstream closes", async () => {
  const upstreams = [{ dial: `127.0.0.1:${(hasty.address() as AddressInfo).port}` }];
  const loaded = await running.admin(
    "POST",
    "/load",
    siteConfig({ handle: [{ handler: "reverse_proxy", upstreams }] }),
  );
  expect(loaded.error).toBe("");
  const answers: string[] = [];
  for (let round = 0; round < 30; round++) {
    answers.push(await post(round % 2 === 0 ? 300_000 : 1_000_000));
  }
  expect(answers).toEqual(answers.map(() => "413 big\n"));
});

/** Sends the head of a request, whose body is still to come. @returns the answer */
async function answerTo(bodyLength: number): Promise<string> {
  const { hostname, port } = new URL(running.site);
  const socket = connect(Number(port), hostname);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyLength}\r\n\r\n`);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return bytes.toString();
}

test("an answer says that the connection closes when more of the body is to come than is dropped", async () => {
  const refusal = { handler: "static_response", status_code: 413, body: "big" };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [refusal] }))).error).toBe("");
  expect(await answerTo(256 * 1024 + 1)).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nConnection: close\r\n/);
  expect(await answerTo(256 * 1024)).not.toMatch(/\r\nConnection: /);
});
