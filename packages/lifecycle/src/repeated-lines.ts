/** Limit of distinct messages that are counted at the same time; further messages are never held back. */
const maxMessages = 1_000;

/** Settings that limit how often one message is logged. */
export interface RepeatedLinesSettings {
  /** Limit of lines with the same message within {@link windowMs}. */
  readonly most: number;
  /** Milliseconds from the first line that is counted; all messages share the window. */
  readonly windowMs: number;
  /**
   * Called at the end of a window in which lines were held back. @param count their number @param level the level
   * number of pino
   */
  readonly onHeldBack: (message: string, count: number, level: number) => void;
}

interface Seen {
  readonly level: number;
  count: number;
}

/**
 * Prevents a repeated message from filling the log. Within a time window only the first lines pass; then one line gives
 * the number of the others.
 */
export class RepeatedLines {
  readonly #settings: RepeatedLinesSettings;
  readonly #seen = new Map<string, Seen>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: RepeatedLinesSettings) {
    this.#settings = settings;
  }

  /** True when a line may be written now. */
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
