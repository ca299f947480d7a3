import { randomBytes } from "node:crypto";

/** Address of a peer. */
export interface PeerAddress {
  /** IPv4 or IPv6 address as text. */
  readonly address: string;
  /** UDP port. */
  readonly port: number;
}

export const sameAddress = (one: PeerAddress, other: PeerAddress): boolean =>
  one.port === other.port && one.address === other.address;

/** Bytes that may be sent for each byte received from an unconfirmed address. Source: RFC 9000, section 8 */
const amplificationFactor = 3;

/** The path to one address of the peer. Source: RFC 9000, sections 8 and 9 */
export class NetworkPath {
  readonly address: PeerAddress;
  /** True when the peer has proved that it receives packets at this address. */
  validated: boolean;
  #receivedBytes = 0;
  #sentBytes = 0;
  /** Data of PATH_CHALLENGE that the peer must return; undefined when there is no challenge. */
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

  /** Number of bytes that may be sent to the address now. */
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

  /** @returns true when the data equals the challenge, which validates the path */
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
