import { randomBytes } from "node:crypto";

/** Address of a peer. */
export interface PeerAddress {
  /** IPv4 or IPv6, in text. */
  readonly address: string;
  /** UDP port. */
  readonly port: number;
}

export const sameAddress = (one: PeerAddress, other: PeerAddress): boolean =>
  one.port === other.port && one.address === other.address;

/** Bytes that may be sent for each byte from an unconfirmed address. Source: RFC 9000, section 8 */
const amplificationFactor = 3;

/** The path to one address of the peer. Source: RFC 9000, sections 8 and 9 */
export class NetworkPath {
  readonly address: PeerAddress;
  /** The peer has proved that it receives packets at this address. */
  validated: boolean;
  #receivedBytes = 0;
  #sentBytes = 0;
  /** Bytes that the peer must send back; undefined when there is no challenge. */
  challenge: Buffer | undefined;
  challengeDue = false;
  /** Time when the challenge counts as failed. */
  challengeEndsAt = Number.POSITIVE_INFINITY;

  constructor(address: PeerAddress, validated: boolean) {
    this.address = address;
    this.validated = validated;
  }

  onReceived(bytes: number): void {
    this.#receivedBytes += bytes;
  }

  onSent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** Bytes that may be sent now. */
  get allowance(): number {
    return this.validated
      ? Number.POSITIVE_INFINITY
      : amplificationFactor * this.#receivedBytes - this.#sentBytes;
  }

  beginValidation(endsAt: number): void {
    this.challenge = randomBytes(8);
    this.challengeDue = true;
    this.challengeEndsAt = endsAt;
  }

  /** @returns true when this was the right response */
  receiveResponse(data: Buffer): boolean {
    if (this.challenge?.equals(data) !== true) {
      return false;
    }
    this.validated = true;
    this.challenge = undefined;
    this.challengeDue = false;
    this.challengeEndsAt = Number.POSITIVE_INFINITY;
    return true;
  }
}
