/** Directives of `Cache-Control` by lower-case name; "" for a directive without a value. */
export type CacheControl = ReadonlyMap<string, string>;

/**
 * Parses all `Cache-Control` fields of a message. If a directive is repeated, its first value counts. Source: RFC 9111
 * section 5.2
 */
export function parseCacheControl(values: readonly string[]): CacheControl {
  const directives = new Map<string, string>();
  const pattern = /([^\s,;=]+)(?:\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,]*)))?/g;
  for (const value of values) {
    for (const [, name = "", quoted, bare] of value.matchAll(pattern)) {
      const lower = name.toLowerCase();
      if (!directives.has(lower)) {
        directives.set(lower, quoted ?? bare ?? "");
      }
    }
  }
  return directives;
}

/** Seconds of a directive; undefined when the directive is absent, 0 when its value is not a number. */
export function secondsOf(control: CacheControl, name: string): number | undefined {
  const value = control.get(name);
  if (value === undefined) {
    return undefined;
  }
  return /^\d+$/.test(value) ? Math.min(Number(value), 2_147_483_648) : 0;
}
