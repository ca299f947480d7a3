/**
 * Finds a trace id in what somebody pasted: the id itself, a header `traceparent`, `uber-trace-id` or `b3`,
 * an address with `/trace/…`, or a log line with `trace_id=…`.
 * @returns the id in lower case, undefined when there is none
 */
export function traceIdInText(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase();
  const patterns = [
    /^(?:0x)?([0-9a-f]{1,32})$/,
    /\b[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}\b/,
    /\/traces?\/([0-9a-f]{1,32})(?![0-9a-z])/,
    /(?:^|uber-trace-id\W{1,4})([0-9a-f]{1,32}):[0-9a-f]{1,16}:[0-9a-f]{1,16}:[0-9a-f]{1,2}\b/,
    /(?:^|\bb3\W{1,4})((?:[0-9a-f]{16}){1,2})-[0-9a-f]{16}(?![0-9a-z])/,
    /trace[._-]?id\W{1,4}([0-9a-f]{8,32})(?![0-9a-z])/,
    /(?<![0-9a-z])([0-9a-f]{32})(?![0-9a-z])/,
  ];
  for (const pattern of patterns) {
    const id = pattern.exec(trimmed)?.[1];
    if (id !== undefined && /[1-9a-f]/.test(id)) {
      return id;
    }
  }
  return undefined;
}
