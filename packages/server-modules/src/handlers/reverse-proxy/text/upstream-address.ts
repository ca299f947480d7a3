import { joinHostPort } from "server-core/go/host-port";
import {
  isDescriptorNetwork,
  isUnixNetwork,
  joinNetworkAddress,
  parseNetworkAddress,
  splitNetworkAddress,
} from "serverfile/addresses/network-address";

/** The parts of an address. */
interface Parts {
  /** `tcp`, `tcp4`, `unix` and so on; "" when the address names no network. */
  readonly network: string;
  /** Scheme of a URL; "" when the address has no scheme. */
  readonly scheme: string;
  /** Name or address without brackets, or the path of a socket. */
  readonly host: string;
  /** A port, or a range such as `8001-8004`; "" when the address has no port. */
  readonly port: string;
}

export interface Upstream {
  /** "", http, https, h2c, or an unsupported scheme. */
  readonly scheme: string;
  /** Dial addresses; several for a range of ports. */
  readonly dials: readonly string[];
}

/** Matches scheme, host with or without brackets, port, and remaining text, which must be empty. */
const urlPattern =
  /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(?:[^@/?#]*@)?(\[[^\]]*\]|[^:/?#]*)(?::([^/?#]*))?([/?#].*)?$/;
/** Ports that contradict a scheme. */
const conflicts: Readonly<Record<string, string>> = {
  "http:443": "(http://) and port (:443, the HTTPS port)",
  "https:80": "(https://) and port (:80, the HTTP port)",
  "h2c:443": "(h2c://) and port (:443, the HTTPS port)",
};

/** Splits a URL. The default port is 443 for `https://app`, and 80 for `http://app` and `h2c://app`. */
function splitUrl(address: string): Parts {
  if (address.includes("{")) {
    throw new Error(
      "due to parsing difficulties, placeholders are not allowed when an upstream address contains a scheme",
    );
  }
  const [, schemeWord, bracketed = "", givenPort = "", rest = ""] = urlPattern.exec(address) ?? [];
  if (schemeWord === undefined || !/^(\d+(-\d+)?)?$/.test(givenPort)) {
    throw new Error(`parsing upstream URL: parse ${JSON.stringify(address)}: invalid URL or port`);
  }
  if (rest !== "") {
    throw new Error("for now, URLs for proxy upstreams only support scheme, host, and port components");
  }
  const scheme = schemeWord.toLowerCase();
  const conflict = conflicts[`${scheme}:${givenPort}`];
  if (conflict !== undefined) {
    throw new Error(`upstream address has conflicting scheme ${conflict}`);
  }
  const inferred = scheme === "https" ? "443" : scheme === "http" || scheme === "h2c" ? "80" : "";
  return { network: "", scheme, host: bracketed.replace(/^\[|\]$/g, ""), port: givenPort || inferred };
}

/** Splits an address without a scheme. The default port is 80. */
function splitAddress(address: string): Parts {
  let parts = { network: "", host: address, port: "" };
  try {
    parts = splitNetworkAddress(address);
  } catch {
    // The text is only a host.
  }
  const { network, host } = parts;
  const needsPort = !host.includes("{") && !isUnixNetwork(network) && !isDescriptorNetwork(network);
  const port = parts.port === "" && needsPort ? "80" : parts.port;
  return network === "unix+h2c"
    ? { network: "unix", scheme: "h2c", host, port }
    : { network, scheme: "", host, port };
}

function dialOf({ network, host, port }: Parts): string {
  if (network !== "") {
    return joinNetworkAddress(network, host, port);
  }
  return port === "" && host.includes("{") ? host : joinHostPort(host, port);
}

/**
 * Parses `host[:port]`, `scheme://host[:port]`, `unix//path`, a range of ports, or an address with placeholders.
 * @throws Error with the reason
 */
export function parseUpstream(address: string): Upstream {
  const parts = address.includes("://") ? splitUrl(address) : splitAddress(address);
  const { scheme, network, port } = parts;
  const dial = dialOf(parts);
  if (port.includes("{") && port.includes("}")) {
    return { scheme, dials: [dial] };
  }
  const { host, startPort, endPort } = parseNetworkAddress(dial);
  if (isUnixNetwork(network) || !port.includes("-")) {
    return { scheme, dials: [dial] };
  }
  const dials: string[] = [];
  for (let each = startPort; each <= endPort; each++) {
    dials.push(joinHostPort(host, `${each}`));
  }
  return { scheme, dials };
}
