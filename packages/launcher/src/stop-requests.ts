const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/**
 * Signals within this number of milliseconds count as one request. One Ctrl-C can cause several signals: from the
 * terminal, from npm and from the bootstrap.
 */
const sameRequestMs = 1_000;

export interface StopListener {
  /** Called for the first request: stops gracefully. @param why the signal, or the end of the parent process */
  stop(why: string): void;
  /** Called for another request, more than a second later. */
  kill(): void;
}

/**
 * Listens for SIGINT, SIGTERM, SIGHUP and, if this process has a channel to its parent, for the end of the parent.
 * @param source where signals come from; tests pass another object
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
