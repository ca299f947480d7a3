/**
 * Gives headings the ids that code hosts use, so that a link to a heading works on the site and on code hosts. An id is
 * lower case, without punctuation, with dashes for spaces, and with a number if repeated.
 *
 * ```
 * "Where to add what?"  →  where-to-add-what
 * "Example", "Example"  →  example, example-1
 * ```
 */
export class HeadingIds {
  /** Number of uses of each id. */
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
