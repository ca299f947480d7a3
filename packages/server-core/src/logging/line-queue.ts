/** Bytes that wait at most, in each queue. */
const maxWaitingBytes = 8 * 1024 * 1024;

export interface LineQueueOptions {
  /** Accepts complete lines; the next follow when it resolves. Lines that it rejects are lost and counted. */
  readonly send: (lines: Buffer) => Promise<void>;
  /** A line that says how many were lost. */
  readonly lostLine: (count: number) => string;
}

/**
 * Lines on their way to a slow place. Whoever logs never waits: lines are gathered and sent in one piece in the
 * background, and dropped and counted when more wait than the limit.
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

  /** Lines lost since the last report. */
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

  /** Resolves when all that was pushed is sent or lost. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lines of the same turn go together.
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

/** The line that {@link LineQueueOptions.lostLine} asks for, as the JSON encoder would write it. */
export function lostLine(count: number): string {
  const ts = Date.now() / 1000;
  return `${JSON.stringify({ level: "warn", ts, logger: "logging", msg: "log lines were dropped", count })}\n`;
}
