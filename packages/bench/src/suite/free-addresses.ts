import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere): one of those may be
 * taken between the look and the use, even by a program that asks whether anyone listens there yet.
 */
const portRange = { first: 12_000, count: 20_000 };
const attempts = 1000;

/**
 * Local addresses (`127.0.0.1:port`) on which nobody listens, all different. Nothing keeps others from taking them
 * afterwards.
 * @throws Error when there are none to be found
 */
export async function freeAddresses(count: number): Promise<string[]> {
  const held = new Map<string, Server>();
  for (let attempt = 0; held.size < count && attempt < attempts; attempt++) {
    const port = portRange.first + Math.floor(Math.random() * portRange.count);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (isFree) held.set(`127.0.0.1:${port}`, server);
  }
  await Promise.all([...held.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  if (held.size < count) throw new Error(`only ${held.size} of ${count} wanted ports are free`);
  return [...held.keys()];
}
