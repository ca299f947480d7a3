import { probabilityInTags, probabilityOf, samplingThreshold, withSamplingProbability } from "wire/model";
import { ByteWriter, plainBytesOf, type RowScanner, type SpanRows } from "wire/rows";

/** Maximum number of texts that are remembered; beyond it, all are forgotten. Few spans have an individual text. */
const maxRemembered = 1_000;

/** The sampling probability of a row that was kept: a number, `unknown`, or `undecided` when there was no decision. */
export type KeptWith = number | "unknown" | "undecided";

/**
 * Writes the sampling probability of kept rows into their `tracestate`, so that counts can be adjusted. It is
 * multiplied with the probability that the row already has. A row without one, neither in its `tracestate` nor in the
 * tags of a root span, counts as kept by its sender with certainty. A row that is kept with an unknown probability
 * loses the probability that it had.
 *
 * Senders and this process decide by different hashes of the trace id, so that their probabilities are independent.
 */
export class ProbabilityWriter {
  readonly #texts = new Map<string, string>();

  /**
   * @param scanner reads the rows
   * @param keptWith called for each row in order; it may read the row from the scanner
   * @returns a copy of the rows
   */
  write(rows: SpanRows, scanner: RowScanner, keptWith: (scanner: RowScanner) => KeptWith): SpanRows {
    const bytes = Buffer.from(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.byteLength);
    const out = new ByteWriter();
    let copied = 0;
    let added = 0;
    scanner.open(rows);
    while (scanner.next()) {
      const kept = keptWith(scanner);
      if (kept === "undecided") {
        continue;
      }
      const { traceStateAt, traceStateEnd } = scanner;
      out.copy(bytes, copied, traceStateAt);
      const before = out.length;
      out.string(this.#textOf(scanner, kept));
      added += out.length - before - (traceStateEnd - traceStateAt);
      copied = traceStateEnd;
    }
    if (copied === 0) {
      return rows;
    }
    out.copy(bytes, copied, bytes.length);
    return { bytes: out.bytes, count: rows.count, plainBytes: plainBytesOf(rows) + added };
  }

  #textOf(scanner: RowScanner, kept: number | "unknown"): string {
    const text = scanner.traceStateText;
    const inTags = scanner.isRoot ? probabilityInTags((key) => scanner.attributeText(key)) : undefined;
    const key = `${kept} ${inTags} ${text}`;
    const known = this.#texts.get(key);
    if (known !== undefined) {
      return known;
    }
    const threshold = samplingThreshold(text);
    const before = threshold === undefined ? (inTags ?? 1) : probabilityOf(threshold);
    const changed = withSamplingProbability(text, kept === "unknown" ? undefined : kept * before);
    if (this.#texts.size >= maxRemembered) {
      this.#texts.clear();
    }
    this.#texts.set(key, changed);
    return changed;
  }
}
