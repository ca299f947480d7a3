/**
 * Texts that an editor told its owner and has not got back as its value yet. React may draw an older text while the next keys are
 * typed. Such a value is no news: written into the editor, it would undo those keys and move the cursor.
 */
export class ToldTexts {
  #waiting: string[] = [];

  /** Notes a text that the owner is told now. */
  tell(text: string): void {
    this.#waiting.push(text);
  }

  /** @returns whether the owner's value is another text than the editor told, to be shown instead of what it has */
  isNews(value: string): boolean {
    const at = this.#waiting.lastIndexOf(value);
    // Those before it were left out by the owner, or overtaken; after news all are.
    this.#waiting = at === -1 ? [] : this.#waiting.slice(at + 1);
    return at === -1;
  }
}
