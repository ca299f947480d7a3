import { isIP } from "node:net";

/** IPv6 address in the form of URLs: lower case, the longest run of zeros left out. Source: RFC 5952 */
export function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/**
 * Writes an IP address in its canonical form. A zone (`%eth0`) is cut off, because it is an interface of the machine
 * that wrote the address.
 * @returns undefined for a text that is not an address
 * Source: Go, `netip.Addr.String`
 */
export function canonicalIp(text: string): string | undefined {
  const cut = text.indexOf("%");
  const bare = cut === -1 ? text : text.slice(0, cut);
  switch (isIP(bare)) {
    case 4:
      return bare;
    case 6: {
      const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
      return dotted === undefined ? canonicalIpv6(bare) : `::ffff:${dotted}`;
    }
    default:
      return undefined;
  }
}
