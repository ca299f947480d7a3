export { type CipherSuite, cipherSuites } from "./protection/cipher-suites.ts";
export { hashBytes } from "./protection/hkdf.ts";
export { initialKeys, retryIntegrityTag } from "./protection/initial-keys.ts";
export { openPacket, type PacketKeys, packetKeysOf, sealPacket } from "./protection/packet-keys.ts";
export { QuicError, transportErrors } from "./quic-error.ts";
export { type Frame, readFrame } from "./wire/frames.ts";
export {
  encodeRetryWithoutTag,
  minInitialDatagramBytes,
  type PacketHeader,
  readPacketHeader,
} from "./wire/packet-header.ts";
