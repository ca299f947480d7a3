import type { PacketKeys } from "../protection/packet-keys.ts";
import { QuicError, transportErrors } from "../quic-error.ts";
import { ReceivedPackets } from "../recovery/received-packets.ts";
import { ReceiveBuffer } from "../streams/receive-buffer.ts";
import { SendBuffer } from "../streams/send-buffer.ts";
import type { CryptoLevel } from "../tls/tls-handshake.ts";
import type { PacketSpaceName, PacketType } from "../wire/packet-header.ts";
import { maxAckDelayMs } from "./settings.ts";

/**
 * Maximum number of handshake bytes that are buffered after a gap. More bytes close the connection. Source: RFC 9000,
 * section 7.5
 */
const maxCryptoAheadBytes = 16_384;
/**
 * Maximum number of pieces that are buffered after gaps, because the sender may be forged. More pieces close the
 * connection. Browsers send a ClientHello in a dozen pieces.
 */
const maxCryptoPieces = 128;

/** State of a connection in one packet number space. */
export class PacketSpace {
  readonly name: PacketSpaceName;
  /** Type of the packets that are sent in this space. */
  readonly type: PacketType;
  readonly level: CryptoLevel;
  /** Keys of Initial and Handshake packets; undefined before they are known and after they are discarded. */
  keys: { read?: PacketKeys; write?: PacketKeys } = {};
  readonly received: ReceivedPackets;
  readonly cryptoToSend = new SendBuffer();
  readonly #cryptoReceived = new ReceiveBuffer(maxCryptoPieces, transportErrors.cryptoBufferExceeded);
  /** True when the keys were discarded: no packet of the space is sent or acknowledged any more. */
  isDiscarded = false;
  /** Number of probe packets to send, even if the congestion window is full. */
  probes = 0;

  constructor(name: PacketSpaceName) {
    this.name = name;
    this.type = name === "application" ? "1rtt" : name;
    this.level = name === "application" ? "1rtt" : name;
    this.received = new ReceivedPackets(name === "application" ? maxAckDelayMs : 0);
  }

  /** Stores bytes of a CRYPTO frame. @returns the handshake bytes that follow without a gap now */
  receiveCrypto(offset: number, data: Buffer): Buffer[] {
    if (offset + data.length - this.#cryptoReceived.nextOffset > maxCryptoAheadBytes) {
      throw new QuicError(transportErrors.cryptoBufferExceeded, "handshake bytes too far ahead", 0x06);
    }
    return this.#cryptoReceived.push(offset, data);
  }

  /** True when handshake bytes wait to be sent. */
  get hasCrypto(): boolean {
    return this.cryptoToSend.hasLost || this.cryptoToSend.unsentBytes > 0;
  }

  discard(): void {
    this.isDiscarded = true;
    this.keys = {};
    this.cryptoToSend.clear();
    this.#cryptoReceived.clear();
    this.received.onAckSent();
    this.probes = 0;
  }
}
