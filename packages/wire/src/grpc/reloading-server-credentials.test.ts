import { Server } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { ReloadingServerCredentials } from "./reloading-server-credentials.ts";

// What they serve is seen in the tests of the processes, which have certificates.

it("tells once when the last server that used it is shut down", async () => {
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

it("equals only itself", () => {
  const make = () => new ReloadingServerCredentials({}, { requireClientCertificate: true });
  const one = make();
  expect(one._equals(one)).toBe(true);
  expect(one._equals(make())).toBe(false);
});

function listening(credentials: ReloadingServerCredentials): Promise<Server> {
  const server = new Server();
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error) =>
      error === null ? resolve(server) : reject(error),
    );
  });
}
