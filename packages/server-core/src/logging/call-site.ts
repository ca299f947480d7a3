/** Frames that are looked at, those of the log itself among them. */
const maxFrames = 40;

/** Functions of the process's log, which stand between a line and who wrote it. */
const ofTheLog = /^(?:[\w$]+\.)*(?:LOG|hookWrappedLog|write|log|take|logMethod|writeOwn)\b/;

export interface CallSite {
  /** `http-server.ts:120`. */
  readonly place: string;
  /** As in a stack trace. */
  readonly text: string;
}

function siteOf(line: string): CallSite | undefined {
  const text = line.trim();
  const [, path, number] = /(?:\(|at )(?:async )?([^()\s]+):(\d+):\d+\)?$/.exec(text) ?? [];
  return path === undefined || path.startsWith("node:")
    ? undefined
    : { place: `${path.replace(/^.*[/\\]/, "")}:${number}`, text: text.replace(/^at /, "") };
}

/**
 * The source of a log line: the innermost caller first, without frames of the log. Costs microseconds.
 * @param inner the function of the log that was called; frames up to it are left out
 */
export function callSites(inner: (...args: never) => unknown): CallSite[] {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = maxFrames;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, inner);
  Error.stackTraceLimit = before;
  const lines = (holder.stack ?? "").split("\n").slice(1);
  const first = lines.findIndex((line) => !ofTheLog.test(line.trim().replace(/^at /, "")));
  return lines.slice(Math.max(0, first)).flatMap((line) => siteOf(line) ?? []);
}
