/** Log lines of a process or thread that ended by a fault: of our logs, of Node and of V8. */
const fatal =
  /worker \d+ died|\buncaught (?:error|exception)|UnhandledPromiseRejection|triggerUncaughtException|^FATAL ERROR:|^Node\.js v\d+\.\d+\.\d+$|cannot take over/i;

/** The longest end of a line that is kept for the next piece. */
const maxRest = 64 * 1024;

/** Finds such lines in a stream that comes in pieces. */
export class FatalLines {
  #rest = "";

  take(piece: string): string[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-maxRest);
    return lines.filter((line) => fatal.test(line));
  }
}
