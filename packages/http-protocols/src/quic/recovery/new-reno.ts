import { type AckedBytes, CongestionWindow } from "./congestion-window.ts";

/** The congestion controller of RFC 9002, appendix B: half the window after a congestion, a packet more each round trip. */
export class NewReno extends CongestionWindow {
  protected growth({ bytes }: AckedBytes): number {
    return (this.datagramBytes * bytes) / this.window;
  }

  protected reduced(): number {
    return this.window / 2;
  }
}
