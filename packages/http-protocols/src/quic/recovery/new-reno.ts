import { type AckedBytes, CongestionWindow } from "./congestion-window.ts";

/** NewReno (RFC 9002, appendix B): congestion halves the window, then it grows by a packet per round trip. */
export class NewReno extends CongestionWindow {
  protected growth({ bytes }: AckedBytes): number {
    return (this.datagramBytes * bytes) / this.window;
  }

  protected reduced(): number {
    return this.window / 2;
  }
}
