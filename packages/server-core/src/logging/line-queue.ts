/** Maximum number of UTF-16 units that may wait in each queue. Further lines are dropped and counted. */
const maxWaitingBytes = 8 * 1024 * 1024;

export interface LineQueueOptions {
  /**
   * Sends complete lines; the queue sends the next lines when the promise resolves. After a rejection the lines are
   * lost and counted.
   */
  readonly send: (lines: Buffer) => Promise<void>;
  readonly lostLine: (count: number) => string;
}

/**
 * Lines for a slow destination. Log calls never wait: lines are collected and sent together in the background. When too
 * many bytes wait, lines are dropped and counted.
 */
export class LineQueue {
  readonly #options: LineQueueOptions;
  #lines: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #running: Promise<void> | undefined;

  constructor(options: LineQueueOptions) {
    this.#options = options;
  }

  /** Number of lines lost since the last report. */
  get lost(): number {
    return this.#lost;
  }

  push(line: string): void {
    if (this.#waitingBytes + line.length > maxWaitingBytes) {
      this.#lost++;
      return;
    }
    this.#lines.push(line);
    this.#waitingBytes += line.length;
    this.#running ??= this.#run();
  }

  /** Resolves when all lines were sent or lost. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lines that are logged in the same turn of the event loop are sent together.
    await new Promise(setImmediate);
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      this.#waitingBytes = 0;
      if (this.#lost > 0) {
        lines.push(this.#options.lostLine(this.#lost));
        this.#lost = 0;
      }
      try {
        await this.#options.send(Buffer.from(lines.join("")));
      } catch {
        this.#lost += lines.length;
      }
    }
    this.#running = undefined;
  }
}

/** Text for {@link LineQueueOptions.lostLine}, in the form of the JSON encoder. */
export function lostLine(count: number): string {
  const ts = Date.now() / 1000;
  return `${JSON.stringify({ level: "warn", ts, logger: "logging", msg: "log lines were dropped", count })}\n`;
}
