const redrawMs = 250;

/** A progress line that is redrawn. Without a terminal, the line is not printed. */
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

  /** Removes the line. */
  end(): void {
    if (this.#stream.isTTY && this.#lastMs > 0) {
      this.#stream.write("\r\x1b[K");
    }
  }
}
