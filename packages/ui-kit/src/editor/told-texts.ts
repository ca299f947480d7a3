/**
 * Texts that an editor reported to its owner, but has not received back as its value yet. React may draw an older
 * text while the next keys are typed. The editor must ignore such an older value, which would undo these keys and
 * move the cursor.
 */
export class ToldTexts {
  #waiting: string[] = [];

  /** Records a text that the editor reports to the owner now. */
  tell(text: string): void {
    this.#waiting.push(text);
  }

  /** @returns true when the editor did not report this text itself, and therefore must show it */
  isNews(value: string): boolean {
    const at = this.#waiting.lastIndexOf(value);
    // The owner skipped the texts before this text. After a new value from the owner, all recorded texts are obsolete.
    this.#waiting = at === -1 ? [] : this.#waiting.slice(at + 1);
    return at === -1;
  }
}
