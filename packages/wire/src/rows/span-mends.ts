import type { ByteWriter } from "./byte-writer.ts";

/** Maximum number of warnings for one span, which may have thousands of bad links. */
const mostWarnings = 10;

const none: readonly string[] = [];

/** Text that replaces a cut value. */
export const cutValueText = "…";

/** The warning when values in a span or its resource are nested deeper than `maxAttributeDepth`. */
export const cutValuesWarning = "attribute values nested deeper than 100 were cut";

/** Warnings about mended faults of the current span, for its row. */
export class SpanMends {
  readonly #warnings: string[] = [];

  clear(): void {
    if (this.#warnings.length > 0) {
      this.#warnings.length = 0;
    }
  }

  add(warning: string): void {
    if (this.#warnings.length < mostWarnings && !this.#warnings.includes(warning)) {
      this.#warnings.push(warning);
    }
  }

  addAll(warnings: readonly string[]): void {
    for (const warning of warnings) {
      this.add(warning);
    }
  }

  /** True when the limit is reached, so that further warnings would be dropped. */
  get isFull(): boolean {
    return this.#warnings.length === mostWarnings;
  }

  get count(): number {
    return this.#warnings.length;
  }

  /** A copy of the warnings, which later spans cannot change. */
  get list(): readonly string[] {
    return this.#warnings.length === 0 ? none : [...this.#warnings];
  }

  /** Writes the warnings as strings, without their number. */
  write(out: ByteWriter): void {
    for (const warning of this.#warnings) {
      out.string(warning);
    }
  }
}
