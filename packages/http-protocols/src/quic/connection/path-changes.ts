import { ownCopy } from "../wire/own-copy.ts";
import type { ConnectionParts } from "./connection-parts.ts";
import { NetworkPath, type PeerAddress, sameAddress } from "./network-path.ts";
import { closingProbeTimeouts } from "./settings.ts";

const maxPathResponses = 4;
/** Probe timeout of a path without a measured round trip. Source: RFC 9000, section 8.2.4; RFC 9002, section 6.2.2 */
const newPathProbeTimeoutMs = 999;

/** Follows a peer whose address changes. Source: RFC 9000, section 9 */
export class PathChanges {
  readonly #parts: ConnectionParts;
  /** The last confirmed path, while the current one is not confirmed. */
  #previous: NetworkPath | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Answers a PATH_CHALLENGE at its source address. One pending answer per address limits amplification to three times. */
  answer(data: Buffer, address: PeerAddress, datagramBytes: number): void {
    const { path, pathResponses } = this.#parts;
    const allowance = sameAddress(address, path.address) ? path.allowance : 3 * datagramBytes;
    const earlier = pathResponses.findIndex((response) => sameAddress(response.address, address));
    if (earlier >= 0) {
      pathResponses.splice(earlier, 1);
    } else if (pathResponses.length === maxPathResponses) {
      pathResponses.shift();
    }
    pathResponses.push({ data: ownCopy(data), address, allowance });
  }

  receiveResponse(data: Buffer): void {
    if (this.#parts.path.receiveResponse(data)) {
      this.#previous = undefined;
    }
  }

  /** Switches to the source address of the newest packet, if it is new: the peer moved, or its port changed. */
  follow(address: PeerAddress, datagramBytes: number, now: number): void {
    const { path, recovery, remoteIds } = this.#parts;
    if (sameAddress(address, path.address) || !recovery.handshakeConfirmed) {
      return;
    }
    if (this.#previous !== undefined && sameAddress(address, this.#previous.address)) {
      // The peer is back at the confirmed address: packets overlapped, or the other address was forged.
      this.#parts.path = this.#previous;
      this.#previous = undefined;
      return;
    }
    const next = new NetworkPath(address, false);
    next.onReceived(datagramBytes);
    const { probeTimeout } = recovery;
    const wait = Math.max(probeTimeout, newPathProbeTimeoutMs);
    next.beginValidation(now, probeTimeout, now + closingProbeTimeouts * wait);
    if (path.validated) {
      this.#previous = path;
    }
    this.#parts.path = next;
    if (address.address !== path.address.address) {
      remoteIds.switch();
      recovery.onNewPath();
      this.#parts.mtu.reset();
    }
  }

  /**
   * Returns to the previous path when the challenge of the current one got no response, for example at a forged address.
   * @returns false when no path is left
   */
  check(now: number): boolean {
    const { path } = this.#parts;
    if (now < path.challengeEndsAt) {
      return true;
    }
    if (this.#previous === undefined) {
      return false;
    }
    this.#parts.path = this.#previous;
    this.#previous = undefined;
    return true;
  }
}
