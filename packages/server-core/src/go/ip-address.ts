import { isIP } from "node:net";

/** As a URL has it: lower case, the longest run of zeros left out. Source: RFC 5952 */
export function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/**
 * The one form of an address that is written in one of several. A zone (`%eth0`) names an interface of the machine that
 * wrote it, so it is cut off.
 * @returns undefined for a text that is no address
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
