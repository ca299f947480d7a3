/**
 * Bytes that a client has received so far. The upstream waits for this number, so that the result does not depend on a
 * clock.
 */
export class Progress {
  #bytes = 0;
  #waiting: (() => void)[] = [];

  received(bytes: number): void {
    this.#bytes += bytes;
    for (const tell of this.#waiting.splice(0)) {
      tell();
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns true when the client receives more than `bytes` within the time limit */
  async reaches(bytes: number, limitMs: number): Promise<boolean> {
    const end = Date.now() + limitMs;
    while (this.#bytes <= bytes) {
      const left = end - Date.now();
      if (left <= 0) {
        return false;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }
}
