import { isIP } from "node:net";

/** The client of a connection, from the PROXY protocol header. */
export interface ProxiedPeer {
  /** Address of the client, which replaces the proxy's own. */
  readonly address: string;
  readonly port: number;
}

/** The result of reading a connection's first bytes. */
export type ProxyHeader =
  | { readonly kind: "partial" } // more bytes are needed to decide
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  /** `peer`: undefined for a connection of the proxy itself, such as a health check, and for an unknown client. */
  | { readonly kind: "header"; readonly bytes: number; readonly peer: ProxiedPeer | undefined };

const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
const textStart = Buffer.from("PROXY ");
const fixedBytes = 16;
/** Maximum number of bytes of a text header, with its line end. A longer text header is malformed. */
const maxTextBytes = 107;
/**
 * Maximum number of bytes of addresses and extensions in a binary header; a longer header is malformed. The protocol
 * would allow 65,535.
 */
const maxBinaryBytes = 2_048;
const textHeader =
  /^PROXY (?:UNKNOWN(?: [ -~]*)?|TCP([46]) ([0-9A-Fa-f.:]{2,45}) ([0-9A-Fa-f.:]{2,45}) (\d{1,5}) (\d{1,5}))\r\n$/;
const commands = { local: 0, proxy: 1 } as const;
const families = { inet: 1, inet6: 2 } as const;
const partial: ProxyHeader = { kind: "partial" };
const malformed: ProxyHeader = { kind: "malformed" };
const none: ProxyHeader = { kind: "none" };

function beginsWith(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}

function readText(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, maxTextBytes).indexOf("\r\n");
  if (end === -1) {
    return bytes.length >= maxTextBytes ? malformed : partial;
  }
  const match = textHeader.exec(bytes.toString("latin1", 0, end + 2));
  if (match === null) {
    return malformed;
  }
  const [, family, address = "", , sourcePort] = match;
  if (family === undefined) {
    return { kind: "header", bytes: end + 2, peer: undefined };
  }
  const port = Number(sourcePort);
  return isIP(address) === Number(family) && port <= 65_535
    ? { kind: "header", bytes: end + 2, peer: { address, port } }
    : malformed;
}

function ipv6(bytes: Buffer): string {
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < fixedBytes) {
    return partial;
  }
  const [version, command] = [(bytes[12] as number) >> 4, (bytes[12] as number) & 15];
  const family = (bytes[13] as number) >> 4;
  const length = bytes.readUInt16BE(14);
  if (version !== 2 || command > commands.proxy || length > maxBinaryBytes) {
    return malformed;
  }
  const end = fixedBytes + length;
  if (bytes.length < end) {
    return partial;
  }
  if (command === commands.local || (family !== families.inet && family !== families.inet6)) {
    return { kind: "header", bytes: end, peer: undefined };
  }
  const addressBytes = family === families.inet ? 4 : 16;
  if (length < addressBytes * 2 + 4) {
    return malformed;
  }
  const source = bytes.subarray(fixedBytes, fixedBytes + addressBytes);
  const address = family === families.inet ? source.join(".") : ipv6(source);
  return {
    kind: "header",
    bytes: end,
    peer: { address, port: bytes.readUInt16BE(fixedBytes + addressBytes * 2) },
  };
}

/**
 * Looks for a PROXY protocol header, version 1 or 2, at the beginning of a connection.
 * @param bytes all bytes that have arrived so far
 * Source: haproxy doc/proxy-protocol.txt, sections 2.1 and 2.2
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, signature)) {
    return bytes.length < signature.length ? partial : readBinary(bytes);
  }
  if (beginsWith(bytes, textStart)) {
    return bytes.length < textStart.length ? partial : readText(bytes);
  }
  return none;
}
