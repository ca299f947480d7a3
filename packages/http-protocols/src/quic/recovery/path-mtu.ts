/**
 * Sizes of datagrams to try, largest first: for Ethernet with IPv6, then for paths with PPPoE, with a tunnel, and with
 * several tunnels.
 */
const sizes = [1_452, 1_412, 1_372, 1_312] as const;
/** Number of full datagrams before a larger size is tried. Short connections need no larger size. */
const datagramsBefore = 8;
/** Milliseconds until the sizes are tried again after all failed. Source: RFC 8899, section 5.1.1 */
const raiseAfterMs = 600_000;
/** Consecutive probe timeouts after which datagrams get the base size again. Source: RFC 8899, section 4.3 */
const blackHoleTimeouts = 2;

/**
 * Finds the largest datagram size of the path with probe packets that contain no data. Node cannot forbid routers to
 * fragment, and the system fragments datagrams of a size that failed once. So each size is tried once. Source: RFC 8899
 */
export class PathMtu {
  readonly #base: number;
  /** The largest size that both ends accept. */
  limit: number;
  current: number;
  #tried = 0;
  /** Bytes of the running probe. */
  #probing: number | undefined;
  #fullDatagrams = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** @param base size that every path supports @param limit largest size to try */
  constructor(base: number, limit: number) {
    this.#base = base;
    this.limit = limit;
    this.current = base;
  }

  onFullDatagram(): void {
    this.#fullDatagrams++;
  }

  /** @returns the size of the probe to send now, undefined for none */
  probeBytes(now: number): number | undefined {
    if (this.#probing !== undefined || this.#fullDatagrams < datagramsBefore || now < this.#pausedUntil) {
      return undefined;
    }
    while (this.#tried < sizes.length && (sizes[this.#tried] as number) > this.limit) {
      this.#tried++;
    }
    const size = sizes[this.#tried];
    return size !== undefined && size > this.current ? size : undefined;
  }

  onProbeSent(size: number): void {
    this.#probing = size;
  }

  /** Takes the acknowledged size. Acknowledged probes of an earlier path are ignored. */
  onProbeAcked(size: number): void {
    if (size === this.#probing) {
      this.#probing = undefined;
      this.current = size;
      this.#tried = sizes.length;
    }
  }

  onProbeLost(size: number, now: number): void {
    if (size !== this.#probing) {
      return;
    }
    this.#probing = undefined;
    this.#tried++;
    if (this.#tried >= sizes.length) {
      this.#tried = 0;
      this.#pausedUntil = now + raiseAfterMs;
    }
  }

  /** @param inVain probe timeouts since the last acknowledgment @returns true when datagrams are smaller from now on */
  onProbeTimeout(inVain: number, now: number): boolean {
    if (inVain < blackHoleTimeouts || this.current === this.#base) {
      return false;
    }
    this.reset();
    this.#pausedUntil = now + raiseAfterMs;
    return true;
  }

  /** Restarts the search for a changed path. */
  reset(): void {
    this.current = Math.min(this.#base, this.limit);
    this.#tried = 0;
    this.#probing = undefined;
    this.#fullDatagrams = 0;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }
}
