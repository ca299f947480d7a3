export { type CipherSuite, cipherSuites } from "./protection/cipher-suites.ts";
export { initialKeys, retryIntegrityTag } from "./protection/initial-keys.ts";
export { openPacket, type PacketKeys, packetKeysOf, sealPacket } from "./protection/packet-keys.ts";
export { QuicError } from "./quic-error.ts";
export type { Certificate } from "./tls/handshake-messages.ts";
export { ServerHandshake } from "./tls/server-handshake.ts";
export { readTransportParameters } from "./tls/transport-parameters.ts";
export { type Frame, readFrame } from "./wire/frames.ts";
export {
  encodeRetryWithoutTag,
  minInitialDatagramBytes,
  type PacketHeader,
  readPacketHeader,
} from "./wire/packet-header.ts";
