import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { chmod, unlink } from "node:fs/promises";
import { type AddressInfo, connect, type Server } from "node:net";
import { messageOf, ServerError } from "../errors.ts";
import { listenOnGiven } from "./given-socket.ts";
import { formatListenAddress, type ListenAddress } from "./listen-address.ts";

/** Texts for system errors of listening, in Caddy's wording. */
export const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "bind: address already in use",
  EADDRNOTAVAIL: "bind: cannot assign requested address",
  EACCES: "bind: permission denied",
};

/** Resolves a name to one address, IPv4 first, so that `localhost` has the same address on every machine. */
export async function resolveHost(host: string, network = "tcp"): Promise<string> {
  try {
    return (await lookup(host, { order: "ipv4first" })).address;
  } catch (error) {
    throw new ServerError("LISTEN", `listen ${network}: lookup ${host}: no such host`, { cause: error });
  }
}

/**
 * Removes the socket file of a process that has ended. If a process accepts a connection on the socket, the file stays.
 */
async function removeStaleSocket(path: string): Promise<void> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
      await unlink(path);
    }
  } finally {
    socket.destroy();
  }
}

export interface PortOptions {
  /**
   * True: several threads open the same TCP port, and the system distributes connections over them. Not every platform
   * supports this.
   */
  readonly reusePort?: boolean;
}

/**
 * Starts listening.
 * @returns the port that the system chose for port 0; 0 for an address without a port
 * @throws ServerError LISTEN in Caddy's wording: `listen tcp 127.0.0.1:80: bind: address already in use`
 */
export async function openPort(
  server: Server,
  address: ListenAddress,
  options: PortOptions = {},
): Promise<number> {
  const host = address.network === "tcp" && address.host !== "" ? await resolveHost(address.host) : "";
  if (address.network === "unix") {
    await removeStaleSocket(address.path);
  }
  try {
    if (address.network === "tcp") {
      const { reusePort = false } = options;
      server.listen({ port: address.port, reusePort, ...(host === "" ? {} : { host }) });
    } else if (address.network === "unix") {
      server.listen({ path: address.path });
    } else {
      await listenOnGiven(address.fd, server);
      return 0;
    }
    await once(server, "listening");
    if (address.network === "unix") {
      await chmod(address.path, address.mode);
    }
  } catch (error) {
    server.close();
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const reason = listenFailures[code] ?? messageOf(error);
    throw new ServerError("LISTEN", `listen ${address.network} ${formatListenAddress(address)}: ${reason}`, {
      cause: error,
    });
  }
  const bound = server.address();
  return bound === null || typeof bound === "string" ? 0 : (bound as AddressInfo).port;
}
