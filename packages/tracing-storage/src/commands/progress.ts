const redrawMs = 250;

/** One line on a terminal that is drawn again and again; nothing where nobody looks. */
export class Progress {
  readonly #stream = process.stderr;
  #lastMs = 0;

  show(text: () => string): void {
    const now = performance.now();
    if (this.#stream.isTTY && now - this.#lastMs >= redrawMs) {
      this.#lastMs = now;
      this.#stream.write(`\r\x1b[K${text()}`);
    }
  }

  /** Takes the line away. */
  end(): void {
    if (this.#stream.isTTY && this.#lastMs > 0) {
      this.#stream.write("\r\x1b[K");
    }
  }
}
