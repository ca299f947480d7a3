/** A serverfile that was adapted. */
export interface KnownText {
  readonly text: string;
  /** File name as given; undefined when unknown. */
  readonly filename?: string | undefined;
}

/**
 * Maximum number of texts that are stored; a new text replaces the oldest. Texts may be long, and each stored text is
 * adapted again when a config is written as text.
 */
const maxTexts = 4;
/** Maximum number of characters of a text that is stored. A longer text is not stored. */
const maxTextLength = 1024 * 1024;

/**
 * The most recently adapted texts. A JSON config does not record its original text. If a JSON config came from one of
 * these texts, this text can be returned when no text can be written from the config.
 */
export class RecentTexts {
  /** Stored texts, newest first. */
  #texts: readonly KnownText[] = [];

  /** Stores a text as the newest. Texts above a mebibyte are skipped, and equal texts are stored once. */
  remember(known: KnownText): void {
    if (known.text.length <= maxTextLength) {
      const others = this.#texts.filter(
        ({ text, filename }) => text !== known.text || filename !== known.filename,
      );
      this.#texts = [known, ...others].slice(0, maxTexts);
    }
  }

  /** All stored texts, newest first; at most four. */
  get all(): readonly KnownText[] {
    return this.#texts;
  }
}
