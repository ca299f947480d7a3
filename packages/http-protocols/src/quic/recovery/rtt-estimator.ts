/** Resolution of timers, in milliseconds. Source: RFC 9002, section 6.1.2 */
export const granularityMs = 1;
const initialRttMs = 333;

/** Estimates the round-trip time of a path; all times are in milliseconds. Source: RFC 9002, section 5 */
export class RttEstimator {
  /** The last sample in milliseconds; 0 before the first sample. */
  latest = 0;
  smoothed = initialRttMs;
  variation = initialRttMs / 2;
  min = 0;
  /** Time of the first sample; undefined before the first sample. */
  firstSampleAt: number | undefined;

  /** @param ackDelay delay of the acknowledgment from the peer, already limited to the allowed delay */
  addSample(rtt: number, ackDelay: number, now: number): void {
    this.latest = rtt;
    if (this.firstSampleAt === undefined) {
      this.firstSampleAt = now;
      this.min = rtt;
      this.smoothed = rtt;
      this.variation = rtt / 2;
      return;
    }
    this.min = Math.min(this.min, rtt);
    const adjusted = rtt >= this.min + ackDelay ? rtt - ackDelay : rtt;
    this.variation = 0.75 * this.variation + 0.25 * Math.abs(this.smoothed - adjusted);
    this.smoothed = 0.875 * this.smoothed + 0.125 * adjusted;
  }

  /** Time until a probe is sent, without the peer's delay of acknowledgments. Source: RFC 9002, section 6.2.1 */
  get probeTimeout(): number {
    return this.smoothed + Math.max(4 * this.variation, granularityMs);
  }

  /** Packets that were sent this long before an acknowledged one are lost. Source: RFC 9002, section 6.1.2 */
  get lossDelay(): number {
    return Math.max((9 / 8) * Math.max(this.latest, this.smoothed), granularityMs);
  }
}
