import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Ports below the range that systems use for outgoing connections (from 32768 on Linux, 49152 elsewhere). A port of
 * that range may be taken between the check and its use, even by a program that only tries to connect.
 */
const portRange = { first: 12_000, count: 20_000 };
const attempts = 1000;

/**
 * Ports in that range that processes listen on by default. They are left to tests that start such processes at the same
 * time.
 */
const defaultPorts = new Set([14250, 14268, 14269, 14271, 16685, 16686, 16687, 17270, 17271]);

interface Held {
  readonly tcp: Server;
  readonly udp: Socket;
}

/**
 * Returns distinct local addresses (`127.0.0.1:port`) on which nobody listens, neither with TCP nor with UDP. On Linux,
 * other callers do not get or try these addresses while this process runs. On other systems they are only free at this
 * moment.
 * @throws Error when there are not enough free addresses
 */
export async function freeAddresses(count: number): Promise<string[]> {
  const held = new Map<string, Held>();
  for (let attempt = 0; held.size < count && attempt < attempts; attempt++) {
    const port = portRange.first + Math.floor(Math.random() * portRange.count);
    const taken = (await reserve(port)) ? await take(port) : undefined;
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

/**
 * Reserves a port for this process until it ends, before anybody listens on it. Without this, the check of one process
 * would briefly take a port that another process has just given to a program. The kernel releases the name of a socket
 * without a folder when its process ends.
 */
async function reserve(port: number): Promise<boolean> {
  if (defaultPorts.has(port)) {
    return false;
  }
  if (process.platform !== "linux") {
    return true;
  }
  const name = createServer().listen(`\0port-of-tests-${port}`);
  name.unref();
  return happens(once(name, "listening"));
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
