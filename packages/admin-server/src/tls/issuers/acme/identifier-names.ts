import { isIP } from "node:net";

/** `id-pe-acmeIdentifier`. Source: RFC 8737, section 3 */
export const identifierOid = "1.3.6.1.5.5.7.1.31";

function ipv6Groups(address: string): string[] {
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const [before, after] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const missing = 8 - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array<string>(missing).fill("0"), ...(after ?? [])];
}

/** The server name of TLS-ALPN-01: addresses are asked for by their name in the reverse zone. Source: RFC 8738, section 6 */
export function reverseName(name: string): string {
  switch (isIP(name)) {
    case 4:
      return `${name.split(".").reverse().join(".")}.in-addr.arpa`;
    case 6: {
      const digits = ipv6Groups(name)
        .map((group) => group.padStart(4, "0"))
        .join("");
      return `${[...digits].reverse().join(".")}.ip6.arpa`;
    }
    default:
      return name;
  }
}
