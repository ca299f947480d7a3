import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { messageOf, ServerError } from "../errors.ts";
import { formatListenAddress, type UdpAddress } from "./listen-address.ts";
import { listenFailures, type PortOptions, resolveHost } from "./open-port.ts";

/** Asked of the system; it may give less. A burst of datagrams waits there while the thread works. */
const socketBufferBytes = 2 * 1024 * 1024;
/** Answers of a machine without IPv6. */
const withoutIpv6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL"]);

async function bind(host: string, port: number, reusePort: boolean): Promise<Socket> {
  const family = isIPv6(host) ? 6 : 4;
  const socket = createSocket({
    type: `udp${family}`,
    reusePort,
    // Peers are addresses, never names. Without a look-up, what is sent before `close` leaves at once.
    lookup: (address, _, answer) => answer(null, address, family),
    recvBufferSize: socketBufferBytes,
    sendBufferSize: socketBufferBytes,
  });
  // Without a look-up, both events may come from within `bind`.
  const listening = once(socket, "listening");
  socket.bind(port, host);
  try {
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}

/**
 * Opens a UDP port. Without a host it takes datagrams of IPv4 and IPv6, on machines that have both.
 * @throws ServerError LISTEN, in the model's words: `listen udp 127.0.0.1:443: bind: address already in use`
 */
export async function openUdpPort(
  address: UdpAddress,
  { reusePort = false }: PortOptions = {},
): Promise<Socket> {
  const { host, port } = address;
  const known = host === "" ? "" : await resolveHost(host, "udp");
  try {
    return await bind(known || "::", port, reusePort).catch((error: NodeJS.ErrnoException) => {
      if (known === "" && withoutIpv6.has(error.code ?? "")) {
        return bind("0.0.0.0", port, reusePort);
      }
      throw error;
    });
  } catch (error) {
    const reason = listenFailures[(error as NodeJS.ErrnoException).code ?? ""] ?? messageOf(error);
    const where = formatListenAddress(address).replace("/", " ");
    throw new ServerError("LISTEN", `listen ${where}: ${reason}`, { cause: error });
  }
}
