// The handler over real sockets: each command, each refusal, and a client that others wrote.

import { execFile } from "node:child_process";
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";
import { connected, layer4Config, namedUpstream, portOf } from "../../testing/layer4-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function load(more: object = {}): Promise<number> {
  const routes = [{ match: [{ socks5: {} }], handle: [{ handler: "socks5", ...more }] }];
  expect(await running.admin("POST", "/load", layer4Config(routes))).toMatchObject({ status: 200 });
  return portOf(running);
}

/** A client that reads as many bytes as it wants. */
class Client {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  #wake = () => {};
  #ended = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    socket.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }

  static async open(port: number): Promise<Client> {
    const socket = await connected(port);
    onTestFinished(() => void socket.destroy());
    return new Client(socket);
  }

  send(hex: string): void {
    this.socket.write(Buffer.from(hex.replaceAll(" ", ""), "hex"));
  }

  /** The next bytes in hexadecimal digits; fewer where the connection ends. */
  async read(count: number): Promise<string> {
    while (this.#bytes.length < count && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken.toString("hex");
  }
}

const portHex = (port: number) => port.toString(16).padStart(4, "0");
const loopback = "7f000001";

async function upstreamPort(name: string): Promise<number> {
  const server = await namedUpstream(name);
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test.each([
  ["an IPv4 address", `01 ${loopback}`],
  ["a name", `03 09 ${Buffer.from("localhost").toString("hex")}`],
])("CONNECT to %s joins the client with it, byte by byte", async (_, address) => {
  const target = await upstreamPort("up");
  const client = await Client.open(await load());
  const greeting = "05 01 00";
  for (const byte of greeting.split(" ")) {
    client.send(byte);
    await new Promise(setImmediate);
  }
  expect(await client.read(2)).toBe("0500");
  client.send(`05 01 00 ${address} ${portHex(target)} 6869`);
  const reply = await client.read(10);
  expect(reply.slice(0, 16)).toBe(`05000001${loopback}`);
  expect(Number.parseInt(reply.slice(16), 16)).toBeGreaterThan(0);
  expect(Buffer.from(await client.read(5), "hex").toString()).toBe("up:hi");
});

test.each([
  ["a password that is right", "01 03 626f62 06 736563726574", "0100", true],
  ["a password that is wrong", "01 03 626f62 06 736563726575", "0101", false],
  ["a name that nobody has", "01 03 657665 06 736563726574", "0101", false],
  ["an empty name", "01 00 00", "0101", false],
])("%s", async (_, message, reply, goesOn) => {
  const target = await upstreamPort("up");
  const client = await Client.open(await load({ credentials: { bob: "secret" } }));
  client.send("05 02 00 02");
  expect(await client.read(2)).toBe("0502");
  client.send(message);
  expect(await client.read(2)).toBe(reply);
  client.send(`05 01 00 01 ${loopback} ${portHex(target)}`);
  expect((await client.read(10)).slice(0, 4)).toBe(goesOn ? "0500" : "");
});

test("a client that offers no method of ours is told so", async () => {
  const client = await Client.open(await load({ credentials: { bob: "secret" } }));
  client.send("05 01 00");
  expect(await client.read(3)).toBe("05ff");
});

test.each([
  ["a port that nobody listens on", {}, `01 00 01 ${loopback} 0001`, "05"],
  ["BIND, which is not there", {}, `02 00 01 ${loopback} 0050`, "02"],
  ["BIND where it is allowed", { commands: ["BIND"] }, `02 00 01 ${loopback} 0050`, "07"],
  ["CONNECT where it is not allowed", { commands: ["ASSOCIATE"] }, `01 00 01 ${loopback} 0050`, "02"],
  ["a command that nobody knows", {}, `09 00 01 ${loopback} 0050`, "07"],
  ["an address of an unknown type", {}, "01 00 09 00 00 0050", "08"],
  [
    "a name that would be a unix socket",
    {},
    `01 00 03 0b ${Buffer.from("unix//x/y/z").toString("hex")} 0050`,
    "08",
  ],
  ["a name with a zero byte", {}, "01 00 03 03 610062 0050", "08"],
])("%s", async (_, config, request, reply) => {
  const client = await Client.open(await load(config));
  client.send("05 01 00");
  expect(await client.read(2)).toBe("0500");
  client.send(`05 ${request}`);
  expect(await client.read(11)).toBe(`05${reply}0001000000000000`);
});

describe("ASSOCIATE", () => {
  async function bound(): Promise<UdpSocket> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    onTestFinished(() => void socket.close());
    return socket;
  }

  /** Sends again until something comes back: a datagram may be lost. */
  async function ask(from: UdpSocket, bytes: Buffer, port: number): Promise<Buffer> {
    const answer = once(from, "message");
    const timer = setInterval(() => from.send(bytes, port, "127.0.0.1"), 100);
    from.send(bytes, port, "127.0.0.1");
    const [message] = (await answer) as [Buffer];
    clearInterval(timer);
    return message;
  }

  test("datagrams go there and back, those of strangers do not, and the end of TCP ends it", async () => {
    const far = await bound();
    far.on("message", (bytes, { port }) => far.send(`<${String(bytes)}>`, port, "127.0.0.1"));
    const client = await Client.open(await load());
    client.send("05 01 00");
    await client.read(2);
    client.send("05 03 00 01 00000000 0000");
    const reply = await client.read(10);
    expect(reply.slice(0, 16)).toBe(`05000001${loopback}`);
    const port = Number.parseInt(reply.slice(16), 16);
    const own = await bound();
    const header = Buffer.from(`00000001${loopback}${portHex(far.address().port)}`, "hex");
    const fragment = Buffer.from(`00000101${loopback}${portHex(far.address().port)}`, "hex");
    own.send(Buffer.concat([fragment, Buffer.from("part")]), port, "127.0.0.1");
    const answer = await ask(own, Buffer.concat([header, Buffer.from("hi")]), port);
    expect(answer).toEqual(Buffer.concat([header, Buffer.from("<hi>")]));

    // Another port of the same machine has no part in it.
    const stranger = await bound();
    const seen: string[] = [];
    stranger.on("message", (bytes) => seen.push(String(bytes)));
    stranger.send(Buffer.concat([header, Buffer.from("me too")]), port, "127.0.0.1");
    expect(await ask(own, Buffer.concat([header, Buffer.from("on")]), port)).toEqual(
      Buffer.concat([header, Buffer.from("<on>")]),
    );
    expect(seen).toEqual([]);

    client.socket.end();
    expect(await client.read(1)).toBe("");
    // The port is free again: it can be bound.
    await expect
      .poll(async () => {
        const again = createSocket("udp4");
        const outcome = Promise.race([
          once(again, "listening").then(() => "free"),
          once(again, "error").then(() => "taken"),
        ]);
        again.bind(port, "127.0.0.1");
        const answered = await outcome;
        again.close();
        return answered;
      })
      .toBe("free");
  });
});

test.each([
  [{ commands: ["LISTEN"] }, "not CONNECT, ASSOCIATE or BIND"],
  [{ bind_ip: "localhost" }, "is no IP address"],
])("%j is refused", async (config, message) => {
  const routes = [{ handle: [{ handler: "socks5", ...config }] }];
  const { status, error } = await running.admin("POST", "/load", layer4Config(routes));
  expect({ status, error }).toEqual({
    status: 400,
    error: expect.stringContaining(message),
  });
});

const curl = ["/usr/bin/curl", "/bin/curl"].find((path) => existsSync(path));
test.skipIf(curl === undefined)("curl fetches a page through it (needs curl)", async () => {
  const server = createServer((request, response) => void response.end(`page of ${request.headers.host}`));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const port = await load({ credentials: { bob: "secret" } });
  const site = `localhost:${(server.address() as AddressInfo).port}`;
  const proxy = ["--socks5-hostname", `bob:secret@127.0.0.1:${port}`];
  const { stdout } = await promisify(execFile)(curl as string, [
    "-sS",
    "--noproxy",
    "",
    ...proxy,
    `http://${site}/`,
  ]);
  expect(stdout).toBe(`page of ${site}`);
});
