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
  /** Header protection stays the same during all updates. */
  #readHeader: HeaderProtection | undefined;
  /** Keys of the current phase. */
  #read: PacketCipher | undefined;
  /** For packets that were sent before the update and arrive after it. */
  #previousRead: PacketCipher | undefined;
  /** Made with the first packet of the other phase; that packet may be forged. */
  #nextRead: PacketCipher | undefined;
  /** Key phase of packets that are expected. */
  #readPhase = false;
  /** First packet number that arrived in the current phase. */
  #phaseFrom = 0;
  #writeHeader: HeaderProtection | undefined;
  #write: PacketCipher | undefined;
  #writePhase = false;
  /** Packets encrypted with the current key; from half of the suite's limit on, an update is due. */
  #sealed = 0;
  /** Packets that did not decrypt, over all phases. Source: RFC 9001, section 6.6 */
  #forged = 0;

  get canRead(): boolean {
    return this.#read !== undefined;
  }

  get canWrite(): boolean {
    return this.#write !== undefined;
  }

  /** Key phase of packets that are sent. */
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

  /** Half of the key's limit is used, and the last update has ended. */
  get isUpdateDue(): boolean {
    return this.#write !== undefined && this.#sealed > this.#write.suite.sealLimit / 2 && this.canUpdate;
  }

  /** The peer must follow the last update before the next one may start. */
  get canUpdate(): boolean {
    return this.#read !== undefined && this.#readPhase === this.#writePhase;
  }

  /** Starts to send with the next keys; the peer follows with its own. */
  update(): void {
    this.#write = (this.#write as PacketCipher).next();
    this.#writePhase = !this.#writePhase;
    this.#sealed = 0;
  }

  /**
   * Decrypts a packet; one of the next key phase moves both directions there.
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

  /** The peer updated its keys; ours follow, unless we began. */
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
