/**
 * Gives headings the ids that code hosts give them, so that a link to a part of a page works in both places: lower
 * case, without punctuation, spaces as dashes, and a number behind an id that was there before.
 */
export class HeadingIds {
  readonly #taken = new Map<string, number>();

  /** @param text of the heading, without marks of Markdown */
  next(text: string): string {
    const id = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const before = this.#taken.get(id);
    this.#taken.set(id, (before ?? 0) + 1);
    return before === undefined ? id : `${id}-${before}`;
  }
}
