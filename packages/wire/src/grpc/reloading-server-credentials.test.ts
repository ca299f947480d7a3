import { Server } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { bindServer } from "./bind-server.ts";
import { ReloadingServerCredentials } from "./reloading-server-credentials.ts";

// The tests of the processes, which have certificates, show the served certificates.

test("tells once when the last server that used it is shut down", async () => {
  let unused = 0;
  const credentials = new ReloadingServerCredentials(
    {},
    { requireClientCertificate: false, unused: () => unused++ },
  );
  const servers = await Promise.all([1, 2].map(() => listening(credentials)));
  for (const [index, server] of servers.entries()) {
    expect(unused).toBe(0);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    expect(unused).toBe(index);
  }
});

test("equals only itself", () => {
  const make = () => new ReloadingServerCredentials({}, { requireClientCertificate: true });
  const one = make();
  expect(one._equals(one)).toBe(true);
  expect(one._equals(make())).toBe(false);
});

async function listening(credentials: ReloadingServerCredentials): Promise<Server> {
  const server = new Server();
  await bindServer(server, { host: "127.0.0.1", port: 0 }, credentials);
  return server;
}
