import { TraceIdHash } from "../trace-id-hash.ts";

/**
 * A number from 0 up to 1 for each trace id, the same in every collector, and independent of
 * `--downsampling.ratio`. Plain FNV-1a gives similar numbers for ids that count up, so its bits are mixed
 * again. Source: Austin Appleby, MurmurHash3, "fmix32"
 */
export class TraceChance {
  readonly #hash = new TraceIdHash("tail-sampling");

  /** @param at index of the 16 bytes of the trace id */
  of(bytes: Uint8Array, at: number): number {
    const hash = this.#hash;
    hash.update(bytes, at);
    let mixed = hash.high ^ hash.low;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }
}
