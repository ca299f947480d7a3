// Messages of a SOCKS 5 session:
//
// | from the client | bytes | answer |
// |---|---|---|
// | methods | 5, count, one byte each | 5, the chosen method, or ff for none |
// | name and password | 1, length, name, length, password | 1, 0 for success |
// | request | 5, command, 0, address | 5, reply, 0, address |
//
// An address is a type (1 IPv4, 3 name, 4 IPv6), the address, and a port of two bytes. A name is preceded by a byte
// with its length.
//
// Sources: RFC 1928, RFC 1929

import { isIPv4, isIPv6 } from "node:net";

/** A message that violates the protocol; the connection is closed. */
export class Socks5Error extends Error {}

/** Authentication methods. `unacceptable` occurs only in answers. */
export const methods = { none: 0, password: 2, unacceptable: 0xff } as const;

/** Commands of a client: a connection, an incoming connection, or the relay of datagrams. */
export const commands = { CONNECT: 1, BIND: 2, ASSOCIATE: 3 } as const;
/** A command as the config names it. */
export type CommandName = keyof typeof commands;

/**
 * Reply codes for the client.
 * Source: RFC 1928, section 6
 */
export const replies = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  commandNotSupported: 7,
  addressNotSupported: 8,
} as const;

const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;
const version = 5;
const passwordVersion = 1;
/** Matches letters, digits, `-`, `_` and dots. Other names are not looked up. */
const hostName = /^(?=.{1,255}$)[\w-]+(?:\.[\w-]+)*\.?$/;

/** A message and its length in bytes; undefined while incomplete. */
type Read<T> = { readonly value: T; readonly length: number } | undefined;

/** Destination of a client. */
export interface Destination {
  /** An IP address, or a name to look up. */
  readonly host: string;
  /** TCP port of a connection; UDP port of a datagram. */
  readonly port: number;
}

/** Checks the first byte, which reveals another protocol early. @throws Socks5Error */
function checkVersion(bytes: Buffer, expected: number): void {
  if (bytes.length > 0 && bytes[0] !== expected) {
    throw new Socks5Error(`socks5: version ${bytes[0]} instead of ${expected}`);
  }
}

/** Parses the methods that a client offers. @throws Socks5Error for another version */
export function readMethods(bytes: Buffer): Read<readonly number[]> {
  checkVersion(bytes, version);
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) {
    return undefined;
  }
  return { value: [...bytes.subarray(2, 2 + count)], length: 2 + count };
}

/** Parses a name and a password. @throws Socks5Error for another version */
export function readPassword(bytes: Buffer): Read<{ readonly name: string; readonly password: string }> {
  checkVersion(bytes, passwordVersion);
  const nameBytes = bytes[1];
  const passwordBytes = nameBytes === undefined ? undefined : bytes[2 + nameBytes];
  if (nameBytes === undefined || passwordBytes === undefined) {
    return undefined;
  }
  const passwordAt = 3 + nameBytes;
  const length = passwordAt + passwordBytes;
  if (bytes.length < length) {
    return undefined;
  }
  const name = bytes.toString("utf8", 2, 2 + nameBytes);
  return { value: { name, password: bytes.toString("utf8", passwordAt, length) }, length };
}

/** Writes an IPv6 address as eight groups, without the short form. */
function ipv6Text(bytes: Buffer): string {
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(":");
}

/**
 * Parses an address and a port at `start`: `01 c0 00 02 01 00 50` is 192.0.2.1, port 80.
 * @returns `value` undefined for an unknown address type or an invalid name; then `length` is 0
 */
export function readDestination(bytes: Buffer, start: number): Read<Destination | undefined> {
  const [type, nameBytes] = [bytes[start], bytes[start + 1]];
  if (type === undefined || nameBytes === undefined) {
    return undefined;
  }
  const isName = type === addressTypes.name;
  if (!isName && type !== addressTypes.ipv4 && type !== addressTypes.ipv6) {
    return { value: undefined, length: 0 };
  }
  const hostAt = start + (isName ? 2 : 1);
  const hostBytes = isName ? nameBytes : type === addressTypes.ipv4 ? 4 : 16;
  const end = hostAt + hostBytes + 2;
  if (bytes.length < end) {
    return undefined;
  }
  const part = bytes.subarray(hostAt, hostAt + hostBytes);
  const host = isName
    ? part.toString("latin1")
    : type === addressTypes.ipv4
      ? part.join(".")
      : ipv6Text(part);
  if (isName && !hostName.test(host)) {
    return { value: undefined, length: 0 };
  }
  return { value: { host, port: bytes.readUInt16BE(end - 2) }, length: end - start };
}

export interface Socks5Request {
  /** Command byte of the request. It may be a command that SOCKS5 does not define. */
  readonly command: number;
  /** Undefined for an unsupported address. */
  readonly destination: Destination | undefined;
}

/** Parses the request of a client: command and destination. @throws Socks5Error for another version */
export function readRequest(bytes: Buffer): Read<Socks5Request> {
  checkVersion(bytes, version);
  const destination = readDestination(bytes, 3);
  if (destination === undefined) {
    return undefined;
  }
  const command = bytes[1] as number;
  return { value: { command, destination: destination.value }, length: 3 + destination.length };
}

/** Encodes an IP address and a port. Any other text becomes 0.0.0.0. */
function encodeAddress(address: string, port: number): Buffer {
  const host = address.replace(/^::ffff:(?=\d+\.)/i, "");
  const portBytes = Buffer.from([port >> 8, port & 0xff]);
  if (isIPv4(host)) {
    return Buffer.from([addressTypes.ipv4, ...host.split(".").map(Number), ...portBytes]);
  }
  if (!isIPv6(host)) {
    return Buffer.from([addressTypes.ipv4, 0, 0, 0, 0, ...portBytes]);
  }
  const [head = "", tail] = host.replace(/%.*$/, "").split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [front, back] = [groups(head), groups(tail ?? "")];
  const all =
    tail === undefined ? front : [...front, ...Array(8 - front.length - back.length).fill("0"), ...back];
  const bytes = all.flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 0xff];
  });
  return Buffer.from([addressTypes.ipv6, ...bytes, ...portBytes]);
}

/** Encodes the chosen method, which the client must use next. */
export function methodReply(method: number): Buffer {
  return Buffer.from([version, method]);
}

/**
 * Encodes the answer to a name and a password. After a refusal the server closes the connection. Source: RFC 1929,
 * section 2
 */
export function passwordReply(isRight: boolean): Buffer {
  return Buffer.from([passwordVersion, isRight ? 0 : 1]);
}

/** Encodes the reply to a request. @param address local address of the connection to the destination; "" for none */
export function requestReply(reply: number, address = "", port = 0): Buffer {
  return Buffer.concat([Buffer.from([version, reply, 0]), encodeAddress(address, port)]);
}

/** Parses a client's datagram: destination and data; undefined for a fragment and for an invalid datagram. */
export function readDatagram(
  bytes: Buffer,
): { readonly destination: Destination; readonly data: Buffer } | undefined {
  // Two reserved bytes, and the fragment number: 0 for a whole datagram.
  if (bytes.length < 4 || bytes.readUIntBE(0, 3) !== 0) {
    return undefined;
  }
  const read = readDestination(bytes, 3);
  return read?.value && { destination: read.value, data: bytes.subarray(3 + read.length) };
}

/** Encodes the header of a datagram for the client. @param host IP address of the datagram's sender */
export function datagramHeader(host: string, port: number): Buffer {
  return Buffer.concat([Buffer.alloc(3), encodeAddress(host, port)]);
}
