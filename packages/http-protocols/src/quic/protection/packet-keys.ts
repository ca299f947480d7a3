import { expandPacketNumber, type PacketHeader } from "../wire/packet-header.ts";
import type { CipherSuite } from "./cipher-suites.ts";
import { HeaderProtection } from "./header-protection.ts";
import { PacketCipher, tagBytes } from "./packet-cipher.ts";

/** Keys of one direction at one encryption level. */
export interface PacketKeys {
  /** Hides the packet number and flags from observers. */
  readonly header: HeaderProtection;
  /** Encrypts the payload, and detects changes of payload and header. */
  readonly cipher: PacketCipher;
}

/** A decrypted packet, which nobody has changed on the way. */
export interface OpenedPacket {
  /** The full packet number, of which the packet contains only the last bytes. */
  readonly packetNumber: number;
  /** Decrypted frames. */
  readonly payload: Buffer;
  /** Bits of the first byte that must be 0. */
  readonly reservedBits: number;
}

export function packetKeysOf(suite: CipherSuite, secret: Uint8Array): PacketKeys {
  return { header: new HeaderProtection(suite, secret), cipher: new PacketCipher(suite, secret) };
}

/** Position of a packet in a buffer before it is encrypted. */
export interface PacketPlace {
  /** First byte of the packet. */
  readonly from: number;
  /** First byte of the packet number. */
  readonly numberAt: number;
  /** First byte after the payload. */
  readonly payloadEnd: number;
  /** The full packet number in its space. */
  readonly packetNumber: number;
}

/** Encrypts payload and header in place. The buffer must have room for the tag after `payloadEnd`. */
export function sealPacket(keys: PacketKeys, packet: Buffer, place: PacketPlace): void {
  const { from, numberAt, payloadEnd, packetNumber } = place;
  const payloadAt = numberAt + ((packet[from] as number) & 3) + 1;
  keys.cipher.seal(packet, { from, payloadAt, payloadEnd, packetNumber });
  keys.header.protect(packet, from, numberAt);
}

/**
 * Decrypts a packet with a long header. Afterwards its header is readable in `datagram`.
 * @param largest largest packet number of the space so far, -1 before the first
 * @returns undefined for bytes that were not encrypted with these keys
 */
export function openPacket(
  keys: PacketKeys,
  datagram: Buffer,
  header: PacketHeader,
  largest: number,
): OpenedPacket | undefined {
  const { from, numberAt, end } = header;
  const numberBytes = keys.header.unprotect(datagram, from, numberAt, end);
  if (numberBytes === 0) {
    return undefined;
  }
  const packetNumber = expandPacketNumber(largest, datagram.readUIntBE(numberAt, numberBytes), numberBytes);
  const payload = keys.cipher.open(datagram, {
    from,
    payloadAt: numberAt + numberBytes,
    payloadEnd: end - tagBytes,
    packetNumber,
  });
  return payload && { packetNumber, payload, reservedBits: (datagram[from] as number) & 0x0c };
}
