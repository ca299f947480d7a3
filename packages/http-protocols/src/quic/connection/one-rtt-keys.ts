import type { CipherSuite } from "../protection/cipher-suites.ts";
import { HeaderProtection } from "../protection/header-protection.ts";
import { PacketCipher, tagBytes } from "../protection/packet-cipher.ts";
import { type OpenedPacket, type PacketPlace, sealPacket } from "../protection/packet-keys.ts";
import { QuicError, transportErrors } from "../quic-error.ts";
import { expandPacketNumber, type PacketHeader } from "../wire/packet-header.ts";

/** Bit of the first byte that changes with each update. Source: RFC 9001, section 6 */
const keyPhaseBit = 0x04;
/** Bits of the first byte that must be 0 after header protection is removed. Source: RFC 9000, section 17.3.1 */
const reservedBits = 0x18;

/** Keys of 1-RTT packets in both directions, and their updates. Source: RFC 9001, section 6 */
export class OneRttKeys {
  /** Header protection of received packets. Key updates do not change it. */
  #readHeader: HeaderProtection | undefined;
  /** Key for received packets of the current phase. */
  #read: PacketCipher | undefined;
  /** Key of the previous phase, for packets that arrive late after an update. */
  #previousRead: PacketCipher | undefined;
  /** Key of the next phase, derived for the first packet of this phase. It is used only if the packet decrypts. */
  #nextRead: PacketCipher | undefined;
  /** Current key phase of received packets. */
  #readPhase = false;
  /** First packet number that arrived in the current phase. */
  #phaseFrom = 0;
  #writeHeader: HeaderProtection | undefined;
  #write: PacketCipher | undefined;
  #writePhase = false;
  /** Number of packets encrypted with the current key. Above half of the suite's limit, an update is due. */
  #sealed = 0;
  /** Number of packets that failed to decrypt, in all phases. Source: RFC 9001, section 6.6 */
  #forged = 0;

  get canRead(): boolean {
    return this.#read !== undefined;
  }

  get canWrite(): boolean {
    return this.#write !== undefined;
  }

  /** Key phase of sent packets. */
  get phase(): boolean {
    return this.#writePhase;
  }

  setReadSecret(suite: CipherSuite, secret: Buffer): void {
    this.#readHeader = new HeaderProtection(suite, secret);
    this.#read = new PacketCipher(suite, secret);
  }

  setWriteSecret(suite: CipherSuite, secret: Buffer): void {
    this.#writeHeader = new HeaderProtection(suite, secret);
    this.#write = new PacketCipher(suite, secret);
  }

  /** Encrypts a packet in place. */
  seal(packet: Buffer, place: PacketPlace): void {
    const header = this.#writeHeader as HeaderProtection;
    const cipher = this.#write as PacketCipher;
    sealPacket({ header, cipher }, packet, place);
    this.#sealed++;
  }

  /** True when more than half of the key's limit is used and the last update is complete. */
  get isUpdateDue(): boolean {
    return this.#write !== undefined && this.#sealed > this.#write.suite.sealLimit / 2 && this.canUpdate;
  }

  /** True when an update may start: the peer has followed the last one. */
  get canUpdate(): boolean {
    return this.#read !== undefined && this.#readPhase === this.#writePhase;
  }

  /** Encrypts with the next key from now on. The peer then updates its own key. */
  update(): void {
    this.#write = (this.#write as PacketCipher).next();
    this.#writePhase = !this.#writePhase;
    this.#sealed = 0;
  }

  /**
   * Decrypts a packet. The first valid packet of the next key phase updates the keys of both directions.
   * @throws QuicError AEAD_LIMIT_REACHED when too many packets were forged
   */
  open(datagram: Buffer, header: PacketHeader, largest: number): OpenedPacket | undefined {
    const { from, numberAt, end } = header;
    const numberBytes = this.#readHeader?.unprotect(datagram, from, numberAt, end) ?? 0;
    const current = this.#read;
    if (numberBytes === 0 || current === undefined) {
      return undefined;
    }
    const packetNumber = expandPacketNumber(largest, datagram.readUIntBE(numberAt, numberBytes), numberBytes);
    const first = datagram[from] as number;
    const samePhase = ((first & keyPhaseBit) !== 0) === this.#readPhase;
    const older = !samePhase && packetNumber < this.#phaseFrom;
    if (!samePhase && !older) {
      this.#nextRead ??= current.next();
    }
    const cipher = samePhase ? current : older ? this.#previousRead : this.#nextRead;
    const payload = cipher?.open(datagram, {
      from,
      payloadAt: numberAt + numberBytes,
      payloadEnd: end - tagBytes,
      packetNumber,
    });
    if (payload === undefined) {
      this.#countForgery(current.suite);
      return undefined;
    }
    if (!samePhase && !older) {
      this.#moveOn(current, packetNumber);
    }
    return { packetNumber, payload, reservedBits: first & reservedBits };
  }

  /** Takes the next key after a packet of the next phase. Updates the sending key too, unless this side began. */
  #moveOn(current: PacketCipher, packetNumber: number): void {
    this.#previousRead = current;
    this.#read = this.#nextRead;
    this.#nextRead = undefined;
    this.#readPhase = !this.#readPhase;
    this.#phaseFrom = packetNumber;
    if (this.#writePhase !== this.#readPhase) {
      this.update();
    }
  }

  #countForgery(suite: CipherSuite): void {
    this.#forged++;
    if (this.#forged > suite.forgeryLimit) {
      throw new QuicError(transportErrors.aeadLimitReached, "too many packets were forged");
    }
  }
}
