/** A serverfile as it was adapted. */
export interface KnownText {
  readonly text: string;
  /** File name as given; undefined without one. */
  readonly filename?: string | undefined;
}

/** Texts that are kept. They may be long, and each is adapted again when a config is written back. */
const maxTexts = 4;
/** Characters of a text that is kept. */
const maxTextLength = 1024 * 1024;

/**
 * The texts that were adapted last. A config in JSON does not keep how it was said; where it came from one of these, that is
 * the text to give back when no other is found.
 */
export class RecentTexts {
  /** The newest first. */
  #texts: readonly KnownText[] = [];

  /** Keeps a text as the newest. Texts longer than a mebibyte are left out, and equal ones are kept once. */
  remember(known: KnownText): void {
    if (known.text.length <= maxTextLength) {
      const others = this.#texts.filter(
        ({ text, filename }) => text !== known.text || filename !== known.filename,
      );
      this.#texts = [known, ...others].slice(0, maxTexts);
    }
  }

  /** The newest first; at most four. */
  get all(): readonly KnownText[] {
    return this.#texts;
  }
}
