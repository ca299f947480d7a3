import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere). Such a port may be
 * taken between the check and its use, even by a program that only tries to connect.
 */
const portRange = { first: 12_000, count: 20_000 };
const attempts = 1000;

interface Held {
  readonly tcp: Server;
  readonly udp: Socket;
}

/**
 * Local addresses (`127.0.0.1:port`) on which nobody listens, neither TCP nor UDP, all different. Nothing keeps others
 * from taking them afterwards.
 * @throws Error when there are none to be found
 */
export async function freeAddresses(count: number): Promise<string[]> {
  const held = new Map<string, Held>();
  for (let attempt = 0; held.size < count && attempt < attempts; attempt++) {
    const port = portRange.first + Math.floor(Math.random() * portRange.count);
    const taken = await take(port);
    if (taken !== undefined) {
      held.set(`127.0.0.1:${port}`, taken);
    }
  }
  await Promise.all(Array.from(held.values(), release));
  if (held.size < count) {
    throw new Error(`only ${held.size} of ${count} wanted ports are free`);
  }
  return [...held.keys()];
}

async function take(port: number): Promise<Held | undefined> {
  const tcp = createServer().listen(port, "127.0.0.1");
  if (!(await happens(once(tcp, "listening")))) {
    return undefined;
  }
  const udp = createSocket("udp4").bind(port, "127.0.0.1");
  if (await happens(once(udp, "listening"))) {
    return { tcp, udp };
  }
  await release({ tcp, udp });
  return undefined;
}

const happens = (event: Promise<unknown>): Promise<boolean> =>
  event.then(
    () => true,
    () => false,
  );

async function release({ tcp, udp }: Held): Promise<void> {
  await Promise.all([
    new Promise((resolve) => tcp.close(resolve)),
    new Promise<void>((resolve) => udp.close(resolve)),
  ]);
}
