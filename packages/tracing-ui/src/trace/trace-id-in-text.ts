/**
 * Finds a trace id in pasted text: the id itself, a header `traceparent`, `uber-trace-id` or `b3`, an
 * address with `/trace/…`, or a log line with `trace_id=…`. Ids may be UUIDs, AWS X-Ray ids, or base64.
 * @returns the id in lower case; undefined without an id
 */
export function traceIdInText(text: string): string | undefined {
  const trimmed = (base64Id(text.trim()) ?? text).trim().toLowerCase();
  const patterns = [
    /^(?:0x)?([0-9a-f]{1,32})$/,
    // A UUID, then the format of AWS X-Ray.
    /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/,
    /(?:^|root=)1-([0-9a-f]{8}-[0-9a-f]{24})(?![0-9a-z])/,
    /\b[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}\b/,
    /\/traces?\/([0-9a-f]{1,32})(?![0-9a-z])/,
    /(?:^|uber-trace-id\W{1,4})([0-9a-f]{1,32}):[0-9a-f]{1,16}:[0-9a-f]{1,16}:[0-9a-f]{1,2}\b/,
    /(?:^|\bb3\W{1,4})((?:[0-9a-f]{16}){1,2})-[0-9a-f]{16}(?![0-9a-z])/,
    /trace[._-]?id\W{1,4}([0-9a-f]{8,32})(?![0-9a-z])/,
    /(?<![0-9a-z])([0-9a-f]{32})(?![0-9a-z])/,
  ];
  for (const pattern of patterns) {
    const id = pattern.exec(trimmed)?.[1]?.replaceAll("-", "");
    if (id !== undefined && /[1-9a-f]/.test(id)) {
      return id;
    }
  }
  return undefined;
}

/** Converts 16 bytes in base64, the format of ids in Protobuf's JSON, to hex digits; undefined for other texts. */
function base64Id(text: string): string | undefined {
  if (!/^[\w+/-]{22}==$/.test(text)) {
    return undefined;
  }
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
