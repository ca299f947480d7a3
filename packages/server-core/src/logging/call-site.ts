/** Maximum number of stack frames that are searched, including frames of the log. */
const maxFrames = 40;

/** Functions of the log, which lie between a log line and its caller on the stack. */
const ofTheLog = /^(?:[\w$]+\.)*(?:LOG|hookWrappedLog|write|log|take|logMethod|writeOwn)\b/;

export interface CallSite {
  /** Place, such as `http-server.ts:120`. */
  readonly place: string;
  /** Text of the frame in a stack trace. */
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
 * Callers that wrote a log line, innermost first, without frames of the log. A call takes microseconds.
 * @param inner function of the log that was called; frames up to it are left out
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
