import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { FaultLink } from "./fault-link.ts";

interface Echo {
  readonly link: FaultLink;
  connect(): Promise<Socket>;
}

/** A server that sends back all bytes, behind a link. */
async function withEcho(run: (echo: Echo) => Promise<void>): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const link = new FaultLink(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [host = "", port = ""] = (await link.open()).split(":");
  const open = async () => {
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    await once(socket, "connect");
    return socket;
  };
  try {
    await run({ link, connect: open });
  } finally {
    await link.close();
    server.close();
    await once(server, "close");
  }
}

const megabyte = Buffer.alloc(1024 * 1024, "0123456789");

test.each(["open", "slow"] as const)(
  "passes every byte and both ends when %s",
  async (state) => {
    await withEcho(async ({ link, connect }) => {
      link.set(state);
      const socket = await connect();
      socket.end(megabyte);
      expect((await buffer(socket)).equals(megabyte)).toBe(true);
    });
  },
  60_000,
);

test("resets what is there and who comes when cut, and is whole again afterwards", async () => {
  await withEcho(async ({ link, connect }) => {
    const before = await connect();
    before.write("x");
    await once(before, "data");
    const failed = once(before, "error");
    link.set("cut");
    expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
    // The reset may arrive before or after the client learns that it is connected.
    const during = connect().then(async (socket) => {
      socket.write("x");
      await once(socket, "data");
    });
    await expect(during).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
    link.set("open");
    const after = await connect();
    after.end("y");
    expect(String(await buffer(after))).toBe("y");
  });
});

test("holds back what is sent while silent, and passes it then", async () => {
  await withEcho(async ({ link, connect }) => {
    const socket = await connect();
    link.set("silent");
    let isOpen = false;
    const got = once(socket, "data").then(([data]) => ({ text: String(data), isOpen }));
    socket.write("late");
    // A second connection is accepted, but is silent, too.
    const other = await connect();
    other.write("later");
    const otherGot = once(other, "data").then(([data]) => ({ text: String(data), isOpen }));
    isOpen = true;
    link.set("open");
    expect(await got).toEqual({ text: "late", isOpen: true });
    expect(await otherGot).toEqual({ text: "later", isOpen: true });
    socket.destroy();
    other.destroy();
  });
});
