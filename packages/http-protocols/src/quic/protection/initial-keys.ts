import { createCipheriv } from "node:crypto";
import { aes128Gcm } from "./cipher-suites.ts";
import { expandLabel, hkdfExtract } from "./hkdf.ts";
import { type PacketKeys, packetKeysOf } from "./packet-keys.ts";

/** Salt for the Initial secrets of version 1. Source: RFC 9001, section 5.2 */
const initialSalt = Buffer.from("38762cf7f55934b34d179ae6a4c80cadccbb7f0a", "hex");
/** Key of the integrity tag of Retry packets. Source: RFC 9001, section 5.8 */
const retryKey = Buffer.from("be0c690b9f66575a1d766b54e368c84e", "hex");
const retryNonce = Buffer.from("461599d35d632bf2239825bb", "hex");

/** Keys of Initial packets in both directions. */
export interface InitialKeys {
  readonly client: PacketKeys;
  readonly server: PacketKeys;
}

const initialSecret = (destinationId: Uint8Array) => hkdfExtract("sha256", initialSalt, destinationId);
const keysOf = (secret: Uint8Array, label: string) =>
  packetKeysOf(aes128Gcm, expandLabel("sha256", secret, { label, length: 32 }));

/**
 * Keys of Initial packets. Everybody who sees the client's first packet can compute them.
 * @param destinationId connection ID that the client chose for its first packet; after a Retry, the ID from the Retry
 */
export function initialKeys(destinationId: Uint8Array): InitialKeys {
  const secret = initialSecret(destinationId);
  return { client: keysOf(secret, "client in"), server: keysOf(secret, "server in") };
}

/** Only the keys for the client's packets, for a packet that may be damaged. They take half the time of both keys. */
export function initialClientKeys(destinationId: Uint8Array): PacketKeys {
  return keysOf(initialSecret(destinationId), "client in");
}

/** Only the keys for the server's packets, for a server that refuses. They take half the time of both keys. */
export function initialServerKeys(destinationId: Uint8Array): PacketKeys {
  return keysOf(initialSecret(destinationId), "server in");
}

/** The tag at the end of a Retry packet, which shows that its sender saw the client's Initial packet. */
export function retryIntegrityTag(originalDestinationId: Uint8Array, retryPacket: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-128-gcm", retryKey, retryNonce);
  cipher.setAAD(Buffer.concat([Buffer.of(originalDestinationId.length), originalDestinationId, retryPacket]));
  cipher.final();
  return cipher.getAuthTag();
}
