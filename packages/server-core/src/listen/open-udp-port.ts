import type { Socket } from "node:dgram";
import { bindUdpSocket } from "http-protocols/udp-socket";
import { messageOf, ServerError } from "../errors.ts";
import { formatListenAddress, type UdpAddress } from "./listen-address.ts";
import { listenFailures, type PortOptions, resolveHost } from "./open-port.ts";

/** System errors of a machine without IPv6. */
const withoutIpv6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL", "EINVAL"]);

/**
 * Opens a UDP port. Without a host, the port accepts datagrams of IPv4 and IPv6, if the machine has both.
 * @throws ServerError LISTEN in Caddy's wording: `listen udp 127.0.0.1:443: bind: address already in use`
 */
export async function openUdpPort(
  address: UdpAddress,
  { reusePort = false }: PortOptions = {},
): Promise<Socket> {
  const { host, port } = address;
  const known = host === "" ? "" : await resolveHost(host, "udp");
  try {
    return await bindUdpSocket(known || "::", port, reusePort).catch((error: NodeJS.ErrnoException) => {
      if (known === "" && withoutIpv6.has(error.code ?? "")) {
        return bindUdpSocket("0.0.0.0", port, reusePort);
      }
      throw error;
    });
  } catch (error) {
    const reason = listenFailures[(error as NodeJS.ErrnoException).code ?? ""] ?? messageOf(error);
    const where = formatListenAddress(address).replace("/", " ");
    throw new ServerError("LISTEN", `listen ${where}: ${reason}`, { cause: error });
  }
}
