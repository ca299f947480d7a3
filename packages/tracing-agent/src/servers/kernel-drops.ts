import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { endianness } from "node:os";

/**
 * Files with the sockets of one IP version. Each line describes a socket: address and port in hexadecimal, and the
 * number of drops at the end.
 */
const tables = { 4: "/proc/net/udp", 6: "/proc/net/udp6" } as const;

/**
 * Number of packets that the system has dropped since a UDP socket was opened, because the receive buffer of the socket
 * was full.
 * @param address address to which the socket is bound, such as "::" or "127.0.0.1"
 * @returns undefined when the system is not Linux, or does not list the socket. Source: Linux
 *   Documentation/networking/proc_net_tcp.rst, net/ipv4/udp.c
 */
export function kernelDrops(address: string, port: number): number | undefined {
  const family = isIP(address.split("%", 1)[0] ?? "");
  if (family !== 4 && family !== 6) {
    return undefined;
  }
  let table: string;
  try {
    table = readFileSync(tables[family], "latin1");
  } catch {
    return undefined;
  }
  return dropsIn(table, `${addressHex(address, family)}:${port.toString(16).toUpperCase().padStart(4, "0")}`);
}

/** @param local address and port in the form of the table */
export function dropsIn(table: string, local: string): number | undefined {
  for (const line of table.split("\n").slice(1)) {
    const columns = line.trim().split(/\s+/);
    if (columns[1] === local) {
      return Number(columns.at(-1));
    }
  }
  return undefined;
}

/** Writes an address as the table does: each group of 32 bits is one number in the machine's byte order. */
export function addressHex(address: string, family: 4 | 6): string {
  const bytes = family === 4 ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  return (endianness() === "LE" ? bytes.swap32() : bytes).toString("hex").toUpperCase();
}

function ipv6Bytes(address: string): Buffer {
  const plain = (address.split("%", 1)[0] ?? "").replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, ...parts: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    },
  );
  const [head = "", tail] = plain.split("::");
  const groupsOf = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  }
  return bytes;
}
