import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Service, ServicePort } from "./services.ts";

/** True when the port is free. `exclusive` prevents Node from sharing the port with another worker. */
async function isFree({ port, protocol, host }: ServicePort): Promise<boolean> {
  if (protocol === "udp") {
    const socket = createSocket("udp4");
    try {
      socket.bind({ port, exclusive: true });
      await once(socket, "listening");
      return true;
    } catch {
      return false;
    } finally {
      socket.close();
    }
  }
  const server = createServer();
  try {
    server.listen({ port, exclusive: true, ...(host === undefined ? {} : { host }) });
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/**
 * Checks that every port is free, before any process starts.
 * @returns one line for each port that is taken: `port 8080 (front door of admin-server) is taken by another
 * program: …`
 */
export async function takenPorts(services: readonly Service[]): Promise<string[]> {
  const lines: string[] = [];
  for (const service of services) {
    for (const port of service.ports) {
      if (!(await isFree(port))) {
        lines.push(
          `port ${port.port}${port.protocol === "udp" ? "/udp" : ""} (${port.what} of ${service.name}) is taken by another program: stop that program first`,
        );
      }
    }
  }
  return lines;
}
