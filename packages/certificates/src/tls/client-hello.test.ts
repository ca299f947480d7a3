import { once } from "node:events";
import { createServer } from "node:net";
import { connect } from "node:tls";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readClientHello } from "./client-hello.ts";

/** The first message of a real client. */
async function helloOf(options: object): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  client.on("error", () => {});
  const [socket] = await once(server, "connection");
  const [bytes] = await once(socket, "data");
  client.destroy();
  socket.destroy();
  server.close();
  return bytes as Buffer;
}

const hello = await helloOf({ servername: "Example.COM", ALPNProtocols: ["h2", "http/1.1"] });

test("says which server and protocols are meant", async () => {
  expect(readClientHello(hello)).toEqual({
    kind: "hello",
    hello: { serverName: "example.com", protocols: ["h2", "http/1.1"], ticketKey: "" },
  });
  expect(readClientHello(await helloOf({}))).toMatchObject({ hello: { serverName: "", protocols: [] } });
});

test("is partial until its last byte", () => {
  for (let length = 0; length < hello.length; length++) {
    expect(readClientHello(hello.subarray(0, length)).kind).toBe("partial");
  }
});

test("may come in several records", () => {
  const body = hello.subarray(5);
  const record = (part: Buffer) =>
    Buffer.concat([Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part]);
  const split = Buffer.concat([
    record(body.subarray(0, 3)),
    record(body.subarray(3, 80)),
    record(body.subarray(80)),
  ]);
  expect(readClientHello(split)).toEqual(readClientHello(hello));
});

test("is told from other protocols", () => {
  expect(readClientHello(Buffer.from("GET / HTTP/1.1")).kind).toBe("foreign");
  expect(readClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])).kind).toBe("malformed");
});

test("damaged in any way never throws", () => {
  fc.assert(
    fc.property(fc.nat(hello.length - 1), fc.nat(255), fc.nat(hello.length), (at, value, length) => {
      const damaged = Buffer.from(hello.subarray(0, length));
      damaged[at] = value;
      expect(["partial", "hello", "foreign", "malformed"]).toContain(readClientHello(damaged).kind);
    }),
  );
});
