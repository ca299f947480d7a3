/** Hosts that mean every address of the machine. */
const anyHosts: ReadonlySet<string> = new Set(["", "0.0.0.0", "[::]"]);

/** @returns undefined for an address without a port, and for a port that the system chooses */
function partsOf(address: string): { readonly host: string; readonly port: string } | undefined {
  const [, host = "", port = ""] = /^(\[[^\]]*\]|[^:/]*):(\d+)$/.exec(address) ?? [];
  if (port === "" || port === "0") {
    return undefined;
  }
  return { host: host.toLowerCase() === "localhost" ? "127.0.0.1" : host, port };
}

/**
 * True when two listeners would share connections, or one listener would take connections of the other.
 * @param one,other addresses as `formatListenAddress` writes them
 */
export function addressesOverlap(one: string, other: string): boolean {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first === undefined || second === undefined) {
    return one === other && !one.endsWith(":0");
  }
  return (
    first.port === second.port &&
    (first.host === second.host || anyHosts.has(first.host) || anyHosts.has(second.host))
  );
}
