import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";

export const quicVersion1 = 1;
/** Maximum length of a connection ID in version 1. */
export const maxConnectionIdBytes = 20;
/** Minimum size in bytes of a datagram with a client's Initial packet. Source: RFC 9000, section 14.1 */
export const minInitialDatagramBytes = 1_200;

/** Type of a packet. Each type has separate keys. */
export type PacketType = "initial" | "0rtt" | "handshake" | "1rtt";

/** Packet number spaces. Each has separate packet numbers; 0-RTT and 1-RTT packets share `application`. */
export type PacketSpaceName = "initial" | "handshake" | "application";
/** All spaces, in the order in which a connection uses them. */
export const packetSpaces: readonly PacketSpaceName[] = ["initial", "handshake", "application"];

/** The part of a packet's header that header protection leaves readable. */
export interface PacketHeader {
  /** Type of the packet. `retry` has no payload; it asks the client to start again with a token. */
  readonly type: PacketType | "retry";
  /** Version of QUIC; for 1-RTT packets, which contain none, the version in use. */
  readonly version: number;
  /** Connection ID by which the receiver finds the connection. */
  readonly destinationId: Buffer;
  /** Connection ID of the sender; empty for 1-RTT packets. */
  readonly sourceId: Buffer;
  /** Token of Initial packets; else empty. */
  readonly token: Buffer;
  /** Position of the packet in its datagram. */
  readonly from: number;
  /** Position of the protected packet number. */
  readonly numberAt: number;
  /** End of the packet; another packet may follow in the datagram. */
  readonly end: number;
}

/** A long header of any version, even an unknown one. Source: RFC 8999 */
export interface VersionlessHeader {
  /** Version of the packet; 0 for a Version Negotiation packet. */
  readonly version: number;
  /** Connection ID of at most 255 bytes; in version 1, of at most 20. */
  readonly destinationId: Buffer;
  /** Connection ID of the sender, the destination of answers. */
  readonly sourceId: Buffer;
}

class ShortPacket extends Error {}
const shortPacket = () => new ShortPacket();
const empty = Buffer.alloc(0);
const longTypes = ["initial", "0rtt", "handshake", "retry"] as const;

export const isLongHeader = (firstByte: number): boolean => (firstByte & 0x80) !== 0;

/**
 * Reads the fields that all versions have in common. Connection IDs may be longer than version 1 allows.
 * @returns undefined for short headers and for packets that end too early
 */
export function readVersionlessHeader(datagram: Buffer): VersionlessHeader | undefined {
  if (datagram.length < 7 || !isLongHeader(datagram[0] as number)) {
    return undefined;
  }
  try {
    const reader = new ByteReader(datagram, shortPacket, 1);
    return {
      version: reader.u32(),
      destinationId: reader.take(reader.u8()),
      sourceId: reader.take(reader.u8()),
    };
  } catch {
    return undefined;
  }
}

/**
 * Reads the header of the packet that begins at `from`.
 * @param localIdBytes length of this side's connection IDs, which short headers do not contain
 * @returns undefined when the bytes are not a packet of version 1; the rest of the datagram is then unreadable
 * Source: RFC 9000, section 17
 */
export function readPacketHeader(
  datagram: Buffer,
  from: number,
  localIdBytes: number,
): PacketHeader | undefined {
  try {
    const reader = new ByteReader(datagram, shortPacket, from);
    const first = reader.u8();
    if ((first & 0x40) === 0) {
      return undefined;
    }
    if (isLongHeader(first)) {
      return readLongHeader(reader, from, longTypes[(first >> 4) & 3] as (typeof longTypes)[number]);
    }
    const destinationId = reader.take(localIdBytes);
    return {
      type: "1rtt",
      version: quicVersion1,
      destinationId,
      sourceId: empty,
      token: empty,
      from,
      numberAt: reader.at,
      end: datagram.length,
    };
  } catch (error) {
    if (error instanceof ShortPacket) {
      return undefined;
    }
    throw error;
  }
}

function readLongHeader(
  reader: ByteReader,
  from: number,
  type: (typeof longTypes)[number],
): PacketHeader | undefined {
  const version = reader.u32();
  const destinationBytes = reader.u8();
  if (version !== quicVersion1 || destinationBytes > maxConnectionIdBytes) {
    return undefined;
  }
  const destinationId = reader.take(destinationBytes);
  const sourceBytes = reader.u8();
  if (sourceBytes > maxConnectionIdBytes) {
    return undefined;
  }
  const sourceId = reader.take(sourceBytes);
  if (type === "retry") {
    const token = reader.take(reader.left);
    return { type, version, destinationId, sourceId, token, from, numberAt: reader.at, end: reader.end };
  }
  const token = type === "initial" ? reader.take(reader.varint()) : empty;
  const length = reader.varint();
  const numberAt = reader.at;
  reader.take(length);
  return { type, version, destinationId, sourceId, token, from, numberAt, end: reader.at };
}

/**
 * Expands the received last bytes of a packet number to the full number.
 * @param largest largest number received so far in its space; -1 before the first
 * Source: RFC 9000, appendix A.3
 */
export function expandPacketNumber(largest: number, truncated: number, bytes: number): number {
  const window = 2 ** (bytes * 8);
  const expected = largest + 1;
  const candidate = expected - (expected % window) + truncated;
  if (candidate <= expected - window / 2 && candidate < 2 ** 53 - window) {
    return candidate + window;
  }
  return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate;
}

/**
 * Number of bytes that the peer needs to expand a packet number.
 * @param largestAcked -1 before the first
 * Source: RFC 9000, appendix A.2
 */
export function packetNumberBytes(packetNumber: number, largestAcked: number): number {
  const unacked = packetNumber - largestAcked;
  return unacked < 0x80 ? 1 : unacked < 0x8000 ? 2 : unacked < 0x80_0000 ? 3 : 4;
}

/** Encodes the answer to a packet of an unsupported version. Source: RFC 9000, section 17.2.1 */
export function encodeVersionNegotiation(
  to: VersionlessHeader,
  versions: readonly number[],
  random: number,
): Buffer {
  const writer = new ByteWriter(64)
    .u8(0x80 | (random & 0x7f))
    .u32(0)
    .u8(to.sourceId.length)
    .bytes(to.sourceId)
    .u8(to.destinationId.length)
    .bytes(to.destinationId);
  for (const version of versions) {
    writer.u32(version);
  }
  return writer.written;
}

/** A Retry packet without its integrity tag. Source: RFC 9000, section 17.2.5 */
export function encodeRetryWithoutTag(destinationId: Buffer, sourceId: Buffer, token: Buffer): Buffer {
  return new ByteWriter(128)
    .u8(0xf0)
    .u32(quicVersion1)
    .u8(destinationId.length)
    .bytes(destinationId)
    .u8(sourceId.length)
    .bytes(sourceId)
    .bytes(token).written;
}

/**
 * Writes a header up to the packet number. The two low bits of the first byte contain the length of the number.
 * @returns position of the Length field of a long header, for `patchVarint2`; -1 for a short header
 */
export function writePacketHeader(
  writer: ByteWriter,
  header: {
    readonly type: PacketType;
    readonly destinationId: Buffer;
    readonly sourceId: Buffer;
    readonly token?: Buffer;
    readonly numberBytes: number;
    readonly keyPhase?: boolean;
  },
): number {
  const { type, destinationId, sourceId, numberBytes, token = empty } = header;
  if (type === "1rtt") {
    writer.u8(0x40 | (header.keyPhase ? 0x04 : 0) | (numberBytes - 1)).bytes(destinationId);
    return -1;
  }
  writer
    .u8(0xc0 | (longTypes.indexOf(type) << 4) | (numberBytes - 1))
    .u32(quicVersion1)
    .u8(destinationId.length)
    .bytes(destinationId)
    .u8(sourceId.length)
    .bytes(sourceId);
  if (type === "initial") {
    writer.varint(token.length).bytes(token);
  }
  const lengthAt = writer.length;
  writer.varint2(0);
  return lengthAt;
}
