/**
 * Maximum number of different messages that are counted at the same time; lines with any other message are never
 * skipped.
 */
const maxMessages = 1_000;

/** Settings that limit the number of lines with the same message. */
export interface RepeatedLinesSettings {
  /**
   * Maximum number of lines with the same message within {@link windowMs} that are logged. Further ones are only
   * counted.
   */
  readonly most: number;
  /** Length of a window in milliseconds, from the first counted line; all messages share the window. */
  readonly windowMs: number;
  /**
   * Called at the end of a window in which lines were skipped. @param count number of skipped lines @param level pino's
   * number of their level
   */
  readonly onHeldBack: (message: string, count: number, level: number) => void;
}

interface Seen {
  readonly level: number;
  count: number;
}

/**
 * Prevents a repeated message from filling the log. In each time window, only the first lines pass; at its end, one
 * line gives the number of skipped lines.
 */
export class RepeatedLines {
  readonly #settings: RepeatedLinesSettings;
  readonly #seen = new Map<string, Seen>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: RepeatedLinesSettings) {
    this.#settings = settings;
  }

  /** True when this line may be written. */
  passes(message: string, level: number): boolean {
    const seen = this.#seen.get(message);
    if (seen !== undefined) {
      seen.count++;
      return seen.count <= this.#settings.most;
    }
    if (this.#seen.size < maxMessages) {
      this.#seen.set(message, { level, count: 1 });
      this.#timer ??= setTimeout(() => this.#endWindow(), this.#settings.windowMs).unref();
    }
    return true;
  }

  #endWindow(): void {
    this.#timer = undefined;
    const { most, onHeldBack } = this.#settings;
    const over = [...this.#seen].filter(([, { count }]) => count > most);
    this.#seen.clear();
    for (const [message, { count, level }] of over) {
      onHeldBack(message, count - most, level);
    }
  }
}
