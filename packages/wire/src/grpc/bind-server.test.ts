import { connect } from "node:net";
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from "@grpc/grpc-js";
import { expect, onTestFinished, test, vi } from "vitest";
import { bindServer } from "./bind-server.ts";

function newServer(): Server {
  const server = new Server();
  onTestFinished(() => server.forceShutdown());
  return server;
}
const plain = ServerCredentials.createInsecure();

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

test.each(["127.0.0.1", ""])("listens on the host %j, at a port that the system chooses", async (host) => {
  const port = await bindServer(newServer(), { host, port: 0 }, plain);
  expect(port).toBeGreaterThan(0);
  expect(await isListening("127.0.0.1", port)).toBe(true);
});

test("an address that another has is told by the system's code", async () => {
  setLogVerbosity(logVerbosity.NONE);
  onTestFinished(() => setLogVerbosity(logVerbosity.ERROR));
  const port = await bindServer(newServer(), { host: "127.0.0.1", port: 0 }, plain);
  const second = bindServer(newServer(), { host: "127.0.0.1", port }, plain);
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("where a process may have no IPv6 socket, it listens on all addresses of IPv4", async () => {
  const server = newServer();
  const bindAsync = server.bindAsync.bind(server);
  // Imitates a sandbox (RestrictAddressFamilies=AF_INET) in which interfaces still have IPv6 addresses.
  const spy = vi.spyOn(server, "bindAsync").mockImplementation((address, credentials, callback) => {
    if (address.startsWith("[::]")) {
      callback(new Error("No address added: [listen EAFNOSUPPORT: address family not supported :::1]"), 0);
    } else {
      bindAsync(address, credentials, callback);
    }
  });
  const port = await bindServer(server, { host: "", port: 0 }, plain);
  expect(spy).toHaveBeenCalledTimes(2);
  expect(await isListening("127.0.0.1", port)).toBe(true);
});
