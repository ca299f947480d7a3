import type { ProtoCursor } from "./proto-cursor.ts";

const initialOffsets = 64;
/**
 * Number of offsets that the list keeps room for. If a large message made a list longer than this, its memory is freed
 * at the next `clear`.
 */
const keptOffsets = 16_384;

/** Start and end positions of a repeated field's occurrences, or of other pieces of a message. The memory is reused. */
export class FieldList {
  count = 0;
  #offsets = new Int32Array(initialOffsets);

  clear(): void {
    this.count = 0;
    if (this.#offsets.length > keptOffsets) {
      this.#offsets = new Int32Array(initialOffsets);
    }
  }

  /** Skips the next field of the cursor, which ends at or before `end`, and records its position. */
  add(cursor: ProtoCursor, end: number): void {
    const stop = cursor.fieldEnd(end);
    this.#push(cursor.position, stop);
    cursor.position = stop;
  }

  /** Records a piece of a message; adjacent pieces are joined. */
  addPiece(start: number, end: number): void {
    if (this.count > 0 && this.end(this.count - 1) === start) {
      this.#offsets[this.count * 2 - 1] = end;
    } else {
      this.#push(start, end);
    }
  }

  start(index: number): number {
    return this.#offsets[index * 2] as number;
  }

  end(index: number): number {
    return this.#offsets[index * 2 + 1] as number;
  }

  #push(start: number, end: number): void {
    const at = this.count * 2;
    if (at === this.#offsets.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.#offsets);
      this.#offsets = grown;
    }
    this.#offsets[at] = start;
    this.#offsets[at + 1] = end;
    this.count++;
  }
}
