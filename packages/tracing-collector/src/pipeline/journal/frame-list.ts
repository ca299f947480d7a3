import type { FrameForm } from "./segment-format.ts";

/** Positions of a segment's frames, in order. */
export class FrameList {
  readonly form: FrameForm;
  readonly #starts: number[] = [];
  readonly #bytes: number[] = [];
  readonly #rows: number[] = [];

  constructor(form: FrameForm) {
    this.form = form;
  }

  get length(): number {
    return this.#starts.length;
  }

  /**
   * @param bytes size with the header
   * @param start position; default: the end of the previous frame
   */
  add(bytes: number, rows: number, start = this.#end()): void {
    this.#starts.push(start);
    this.#bytes.push(bytes);
    this.#rows.push(rows);
  }

  startOf(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** Bytes of a frame with its header. */
  bytesOf(index: number): number {
    return this.#bytes[index] ?? 0;
  }

  rowsOf(index: number): number {
    return this.#rows[index] ?? 0;
  }

  #end(): number {
    const last = this.length - 1;
    return last < 0 ? this.form.start : this.startOf(last) + this.bytesOf(last);
  }
}
