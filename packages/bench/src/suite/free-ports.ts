import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Local addresses (`127.0.0.1:port`) on which nobody listens. Nothing keeps others from taking them afterwards.
 * All are held until all are found, so that they differ.
 */
export async function freeAddresses(count: number): Promise<string[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const addresses = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return addresses;
}
