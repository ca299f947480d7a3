/** The fonts of the waterfall, by their use. */
export type FontName = "plain" | "bold" | "mono" | "monoBold" | "small" | "large";

/**
 * Maximum number of letters that are measured; the middle of a longer text is cut out first, because no row has room
 * for more letters.
 */
const mostLetters = 400;
/** The share of a cut name's letters that come from its beginning; its end distinguishes similar names. */
const beginning = 0.6;
/** Minimum number of letters for a cut that keeps both ends; with fewer, only the beginning is kept. */
const leastForBothEnds = 8;
/** Maximum number of text widths that are cached. A trace has few operations but many different durations. */
const mostRemembered = 8_000;

/** Measures texts and cuts them to a width. Both results are cached, because most rows repeat texts of other rows. */
export class FittedText {
  readonly #measure: (text: string, font: FontName) => number;
  readonly #widths = new Map<string, number>();
  readonly #cuts = new Map<string, string>();

  /** @param measure returns the width of a text in pixels */
  constructor(measure: (text: string, font: FontName) => number) {
    this.#measure = measure;
  }

  /** Width of a text in pixels. */
  width(text: string, font: FontName): number {
    const key = font + text;
    let width = this.#widths.get(key);
    if (width === undefined) {
      if (this.#widths.size >= mostRemembered) {
        this.#widths.clear();
      }
      width = this.#measure(text, font);
      this.#widths.set(key, width);
    }
    return width;
  }

  /**
   * Returns the text, or as much of its two ends as fits, with an ellipsis between them.
   * @param room width in pixels; the result is empty when even the ellipsis does not fit
   */
  fit(text: string, font: FontName, room: number): string {
    const short = text.length > mostLetters ? bothEnds(text) : text;
    if (short === text && this.width(text, font) <= room) {
      return text;
    }
    const key = `${Math.floor(room)} ${font}${short}`;
    let cut = this.#cuts.get(key);
    if (cut === undefined) {
      if (this.#cuts.size >= mostRemembered) {
        this.#cuts.clear();
      }
      cut = this.#cut([...short], font, room);
      this.#cuts.set(key, cut);
    }
    return cut;
  }

  /** The longest cut that fits, by binary search: about ten measurements for hundreds of letters. */
  #cut(letters: readonly string[], font: FontName, room: number): string {
    const first = (count: number) => {
      const head = count < leastForBothEnds ? count : Math.ceil(count * beginning);
      const end = letters.slice(letters.length - (count - head)).join("");
      return `${letters.slice(0, head).join("").trimEnd()}…${end.trimStart()}`;
    };
    let low = 0;
    let high = letters.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#measure(first(middle), font) <= room) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low === 0 && this.#measure("…", font) > room ? "" : first(low);
  }
}

/** The two ends of a text longer than `mostLetters`, together `mostLetters` letters long. */
function bothEnds(text: string): string {
  const head = Math.ceil(mostLetters * beginning);
  return text.slice(0, head) + text.slice(head - mostLetters);
}
