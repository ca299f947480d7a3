import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { provisionModule } from "../../../../admin-server/src/testing/provision-module.ts";
import { deadAddress } from "../../testing/upstream-server.ts";
import { logWriters } from "../log-modules.ts";

test("lines come over a connection, also after it broke", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const writer = await provisionModule(logWriters, "net", { address: `tcp/127.0.0.1:${port}` });
  const first = once(server, "connection") as Promise<[Socket]>;
  await writer.open?.();
  const [socket] = await first;
  writer.write("one\n");
  expect(String((await once(socket, "data"))[0])).toBe("one\n");
  const second = once(server, "connection") as Promise<[Socket]>;
  socket.destroy();
  const more = setInterval(() => writer.write("two\n"), 20);
  const [again] = await second;
  expect(String((await once(again, "data"))[0])).toMatch(/two\n/);
  clearInterval(more);
  await writer.close?.();
  again.destroy();
  server.close();
});

test("a config whose log cannot be reached does not load, unless it says so", async () => {
  const address = await deadAddress();
  const hard = await provisionModule(logWriters, "net", { address });
  await expect(hard.open?.()).rejects.toThrow("opening log writer");
  const soft = await provisionModule(logWriters, "net", { address, soft_start: true });
  await soft.open?.();
  soft.write("into the void\n");
  await soft.close?.();
  await hard.close?.();
});

test.each(["nowhere", "tcp/host:0", "http/host:1"])("%s is no address", async (address) => {
  await expect(provisionModule(logWriters, "net", { address })).rejects.toThrow("is none of");
});
