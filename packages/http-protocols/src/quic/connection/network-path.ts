import { randomBytes } from "node:crypto";

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
/** Bytes that a datagram with only a challenge has at most. */
const minChallengeBytes = 64;
/** Challenges for which an unconfirmed path keeps bytes back, because each of them may be lost. */
const reservedChallenges = 2;
/** Maximum number of challenges whose responses are accepted. */
const maxChallenges = 8;

/** A PATH_CHALLENGE that waits for its response. */
export interface PathChallenge {
  /** Eight random bytes, others for each challenge. */
  readonly data: Buffer;
  /** True when its datagram is padded, so that the response shows that the path carries full datagrams. */
  readonly isPadded: boolean;
}

/** The path to one address of the peer. Source: RFC 9000, sections 8 and 9 */
export class NetworkPath {
  readonly address: PeerAddress;
  /** True when the peer has proved that it receives packets at this address. */
  validated: boolean;
  #receivedBytes = 0;
  #sentBytes = 0;
  /** Challenges that were sent; a response to any of them confirms the path. */
  #challenges: PathChallenge[] = [];
  /** Time of the next challenge. Challenges are repeated, because datagrams are lost. */
  challengeAt = Number.POSITIVE_INFINITY;
  #challengeIntervalMs = 0;
  /** Time when the validation counts as failed. */
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

  /**
   * Number of bytes that may be sent to the address for anything but challenges. If data used up the allowance and was
   * lost, a peer that only receives would never raise it.
   */
  get dataAllowance(): number {
    const isChallenged = this.challengeAt !== Number.POSITIVE_INFINITY;
    return this.allowance - (isChallenged ? reservedChallenges * minChallengeBytes : 0);
  }

  /** True when a challenge may be sent as soon as it is due. */
  get allowsChallenge(): boolean {
    return this.allowance >= minChallengeBytes;
  }

  /** @param intervalMs time until the second challenge; it doubles with each one */
  beginValidation(now: number, intervalMs: number, endsAt: number): void {
    this.challengeAt = now;
    this.#challengeIntervalMs = intervalMs;
    this.challengeEndsAt = endsAt;
  }

  /** The challenge to send now; undefined when none is due. @param paddedBytes size of a padded datagram */
  takeChallenge(now: number, paddedBytes: number): PathChallenge | undefined {
    if (now < this.challengeAt || !this.allowsChallenge) {
      return undefined;
    }
    this.challengeAt = this.validated ? Number.POSITIVE_INFINITY : now + this.#challengeIntervalMs;
    this.#challengeIntervalMs *= 2;
    const challenge = { data: randomBytes(8), isPadded: this.allowance >= paddedBytes };
    this.#challenges.push(challenge);
    if (this.#challenges.length > maxChallenges) {
      this.#challenges.shift();
    }
    return challenge;
  }

  /**
   * A response to a small challenge confirms the address. A padded challenge then follows, as RFC 9000, section 8.2.1
   * demands. @returns true when the data is that of a challenge
   */
  receiveResponse(data: Buffer): boolean {
    const challenge = this.#challenges.find((each) => each.data.equals(data));
    if (challenge === undefined) {
      return false;
    }
    this.validated = true;
    this.#challenges = [];
    this.challengeAt = challenge.isPadded ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    this.challengeEndsAt = Number.POSITIVE_INFINITY;
    return true;
  }
}
