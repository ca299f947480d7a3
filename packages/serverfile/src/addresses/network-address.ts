// Addresses to listen on or to dial:
//
// | text | network | host | port |
// |---|---|---|---|
// | `:80` | | | 80 |
// | `udp/localhost:53` | udp | localhost | 53 |
// | `[::1]:8000-8010` | | ::1 | 8000-8010 |
// | `unix//run/s.sock` | unix | /run/s.sock | |
// | `fd/3` | fd | 3 | |

import { joinHostPort, tryHostPort } from "server-core/go/host-port";

/** Maximum number of ports in a range, as in Caddy. A larger range is an error. */
const maxPortSpan = 65_535;

/** The parts of `[network/]host:port`; the port is not checked. */
export interface NetworkParts {
  /** The network, for example `tcp`, `udp`, `unix` or `fd`; "" when the text names none. */
  readonly network: string;
  /** Host name, IP address, socket path or descriptor number. */
  readonly host: string;
  /** A number, a range such as `8000-8010`, or "". */
  readonly port: string;
}

/** An address to listen on or to dial, with a range of ports. */
export interface NetworkAddress {
  /** Network of the address; default `tcp`. */
  readonly network: string;
  readonly host: string;
  /** First port of the range; 0 for an address without a port. */
  readonly startPort: number;
  /** Last port of the range; equal to `startPort` for a single port. */
  readonly endPort: number;
}

/** True for sockets in the file system: `unix`, `unixgram` and `unixpacket`, with or without the suffix `+h2c`. */
export function isUnixNetwork(network: string): boolean {
  return network.startsWith("unix");
}

/** True for an inherited socket: `fd/3`, `fdgram/3`. */
export function isDescriptorNetwork(network: string): boolean {
  return network.startsWith("fd");
}

/** True for networks whose address is only a path or a number. */
function hasNoPort(network: string): boolean {
  return isUnixNetwork(network) || isDescriptorNetwork(network);
}

/**
 * Splits an address into its parts. The host may be in brackets; the port may be missing.
 * @throws Error with the reason
 */
export function splitNetworkAddress(address: string): NetworkParts {
  const slash = address.indexOf("/");
  const network = slash === -1 ? "" : address.slice(0, slash).trim().toLowerCase();
  const rest = address.slice(slash + 1);
  if (slash !== -1 && hasNoPort(network)) {
    return { network, host: rest, port: "" };
  }
  const parts = tryHostPort(rest);
  if (typeof parts !== "string") {
    return { network, host: parts.host, port: parts.port };
  }
  const bare = tryHostPort(joinHostPort(rest.replace(/^[[\]]+|[[\]]+$/g, ""), "0"));
  if (typeof bare === "string") {
    throw new Error(`address ${rest}: ${parts}`);
  }
  return { network, host: bare.host, port: "" };
}

/** Joins the parts of {@link splitNetworkAddress}. */
export function joinNetworkAddress(network: string, host: string, port: string): string {
  const prefix = network === "" ? "" : `${network}/`;
  if ((host !== "" && port === "") || hasNoPort(network)) {
    return prefix + host;
  }
  return port === "" ? prefix : prefix + joinHostPort(host, port);
}

/** Parses a port from 0 to 65,535. @param which start or end of a range, for the error @throws Error */
function parsePort(text: string, which: string): number {
  if (!/^\d+$/.test(text) || Number(text) > 65_535) {
    const reason = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
    throw new Error(`invalid ${which} port: parsing ${JSON.stringify(text)}: ${reason}`);
  }
  return Number(text);
}

/**
 * Parses an address; the default network is TCP. `:8000-8010` has 11 ports; `localhost` has no port.
 * @throws Error with the reason
 */
export function parseNetworkAddress(address: string): NetworkAddress {
  const { network: given, host, port } = splitNetworkAddress(address);
  const network = given === "" ? "tcp" : given;
  if (hasNoPort(network) || port === "") {
    return { network, host, startPort: 0, endPort: 0 };
  }
  const dash = port.indexOf("-");
  const startPort = parsePort(dash === -1 ? port : port.slice(0, dash), "start");
  const endPort = parsePort(port.slice(dash + 1), "end");
  if (endPort < startPort) {
    throw new Error("end port must not be less than start port");
  }
  if (endPort - startPort + 1 > maxPortSpan) {
    throw new Error(`port range exceeds ${maxPortSpan} ports`);
  }
  return { network, host, startPort, endPort };
}

/**
 * Formats an address. The network `tcp` is left out.
 * `tcp/:80` and `:80` are both written as `:80`, so texts of equal addresses are equal.
 */
export function formatNetworkAddress({ network, host, startPort, endPort }: NetworkAddress): string {
  const port = startPort === endPort ? `${startPort}` : `${startPort}-${endPort}`;
  return joinNetworkAddress(network === "tcp" ? "" : network, host, port);
}

/** True when one of the addresses has a port other than `port`. Malformed addresses are ignored. */
export function usePortOtherThan(addresses: readonly string[], port: number): boolean {
  return addresses.some((text) => {
    try {
      const { startPort, endPort } = parseNetworkAddress(text);
      return port > endPort || port < startPort;
    } catch {
      return false;
    }
  });
}
