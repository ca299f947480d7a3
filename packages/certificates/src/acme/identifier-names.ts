import { isIP } from "node:net";

/** `id-pe-acmeIdentifier`. Source: RFC 8737, section 3 */
export const identifierOid = "1.3.6.1.5.5.7.1.31";

function ipv6Groups(address: string): string[] {
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const [before, after] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const missing = 8 - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array<string>(missing).fill("0"), ...(after ?? [])];
}

/** A name or address in its canonical form: lower case, without brackets, IPv6 in its shortest form. */
export function canonicalName(name: string): string {
  const bare = name.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 6 && !bare.includes("%") ? new URL(`http://[${bare}]/`).hostname.slice(1, -1) : bare;
}

/**
 * The server name in a TLS-ALPN-01 handshake; for an address, this is its name in the reverse zone. Source: RFC 8738,
 * section 6
 */
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

/** The address in a name that {@link reverseName} made; undefined for other names. */
export function addressOf(serverName: string): string | undefined {
  const [, octets, digits] =
    /^(\d{1,3}(?:\.\d{1,3}){3})\.in-addr\.arpa$|^([\da-f](?:\.[\da-f]){31})\.ip6\.arpa$/i.exec(serverName) ??
    [];
  const address =
    octets?.split(".").reverse().join(".") ??
    digits
      ?.replaceAll(".", "")
      .split("")
      .reverse()
      .join("")
      .replace(/.{4}(?!$)/g, "$&:");
  return address === undefined || isIP(address) === 0 ? undefined : canonicalName(address);
}
