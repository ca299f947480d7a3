import { isIP } from "node:net";

/** Addresses of a client's connection, for the upstream that a proxy forwards it to. */
export interface ProxiedAddresses {
  /** IP address of the client. */
  readonly source: string;
  /** Port of the client. */
  readonly sourcePort: number;
  /** Address that the client connected to. */
  readonly destination: string;
  /** Port that the client connected to. */
  readonly destinationPort: number;
}

const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
const commandProxy = 0x21;
const commandLocal = 0x20;

function bare(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

function ipv4Bytes(address: string): number[] {
  return address.split(".").map(Number);
}

function ipv6Bytes(address: string): number[] {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const [a = 0, b = 0, c = 0, d = 0] = dotted === null ? [] : ipv4Bytes(dotted[2] ?? "");
  const text =
    dotted === null ? address : `${dotted[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const [left = "", right] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [head, tail] = [groups(left), groups(right ?? "")];
  const middle = right === undefined ? [] : new Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...middle, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** An IPv4 address as `::ffff:192.0.2.1`, because both addresses of a header must have one family. */
function mapped(address: string): string {
  return isIP(address) === 4 ? `::ffff:${address}` : address;
}

/**
 * The header with the client's address, which an upstream gets before all other bytes.
 * @param version `v1` is text, `v2` binary
 * Source: haproxy doc/proxy-protocol.txt, sections 2.1 and 2.2
 */
export function proxyProtocolHeader(version: "v1" | "v2", addresses: ProxiedAddresses): Buffer {
  let [source, destination] = [bare(addresses.source), bare(addresses.destination)];
  const known = isIP(source) !== 0 && isIP(destination) !== 0;
  const six = isIP(source) === 6 || isIP(destination) === 6;
  if (six) {
    [source, destination] = [mapped(source), mapped(destination)];
  }
  const { sourcePort, destinationPort } = addresses;
  if (version === "v1") {
    return Buffer.from(
      known
        ? `PROXY ${six ? "TCP6" : "TCP4"} ${source} ${destination} ${sourcePort} ${destinationPort}\r\n`
        : "PROXY UNKNOWN\r\n",
      "latin1",
    );
  }
  if (!known) {
    return Buffer.concat([signature, Buffer.from([commandLocal, 0, 0, 0])]);
  }
  const bytes = six ? ipv6Bytes : ipv4Bytes;
  const body = Buffer.from([
    ...bytes(source),
    ...bytes(destination),
    sourcePort >> 8,
    sourcePort & 0xff,
    destinationPort >> 8,
    destinationPort & 0xff,
  ]);
  return Buffer.concat([signature, Buffer.from([commandProxy, six ? 0x21 : 0x11, 0, body.length]), body]);
}
