const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** One Ctrl-C can come several times: from the terminal, and passed on by npm and by the bootstrap. */
const sameRequestMs = 1_000;

/** Learns that everything must stop. */
export interface StopListener {
  /** First request: stops gracefully. @param why the signal, or the end of the parent process */
  stop(why: string): void;
  /** Again, more than a second later. */
  kill(): void;
}

/**
 * Listens for SIGINT, SIGTERM, SIGHUP and, where this was started with a channel, for the end of the process at its other end.
 * @param source the process; tests give another one
 */
export function onStopRequest(listener: StopListener, source: NodeJS.Process = process): void {
  let firstAt: number | undefined;
  const hear = (why: string) => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      listener.stop(why);
    } else if (now - firstAt >= sameRequestMs) {
      listener.kill();
    }
  };
  for (const signal of signals) {
    source.on(signal, hear);
  }
  source.on("disconnect", () => {
    if (firstAt === undefined) {
      hear("the process that started this is gone");
    }
  });
}
