import type { FieldList } from "./field-list.ts";

/** More bytes are not worth keeping: they are seldom the same again. */
const longestBytes = 64 * 1024;

/** The bytes of some fields, kept to see whether the next message has the same ones. */
export class RepeatedFields {
  #bytes = Buffer.alloc(0);
  #length = -1;

  /** Whether the fields are the ones that were kept, in the same order. */
  matches(source: Buffer, fields: FieldList): boolean {
    const bytes = this.#bytes;
    let at = 0;
    for (let index = 0; index < fields.count; index++) {
      const start = fields.start(index);
      const end = fields.end(index);
      const next = at + end - start;
      if (next > this.#length || bytes.compare(source, start, end, at, next) !== 0) return false;
      at = next;
    }
    return at === this.#length;
  }

  keep(source: Buffer, fields: FieldList): void {
    this.#length = -1;
    let length = 0;
    for (let index = 0; index < fields.count; index++) length += fields.end(index) - fields.start(index);
    if (length > longestBytes) return;
    if (this.#bytes.length < length) this.#bytes = Buffer.alloc(length * 2);
    let at = 0;
    for (let index = 0; index < fields.count; index++)
      at += source.copy(this.#bytes, at, fields.start(index), fields.end(index));
    this.#length = length;
  }

  forget(): void {
    this.#length = -1;
  }
}
