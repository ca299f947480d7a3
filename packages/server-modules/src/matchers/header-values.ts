import type { Exchange } from "http-engine/exchange";
import { compileTemplate, type Template } from "http-engine/placeholders";
import { z } from "zod";

/** Header fields with the values that match. Shared by the matcher `header` and by response matchers. */
export const headerValuesSchema = z.record(z.string(), z.array(z.string()).nullable());

/** Patterns by field name. */
export type HeaderValuesConfig = z.infer<typeof headerValuesSchema>;

/**
 * `*a*` matches texts that contain `a`, `*a` texts that end with `a`, `a*` texts that begin with `a`, and `*` all
 * texts; any other pattern must be equal to the text. Upper and lower case differ.
 */
function matchesValue(pattern: string, value: string): boolean {
  if (pattern === "*") {
    return true;
  }
  const open = pattern.startsWith("*");
  const close = pattern.endsWith("*");
  if (open && close) {
    return value.includes(pattern.slice(1, -1));
  }
  if (open) {
    return value.endsWith(pattern.slice(1));
  }
  return close ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
}

/**
 * Compiles field patterns. All fields must match; a field matches when one of its values matches one of its patterns.
 * `[]` requires that the field is present, null that it is absent. `*` at either end of a pattern matches any text.
 * Source: Caddy 2.11
 */
export function compileHeaderValues(
  config: HeaderValuesConfig,
): (values: (name: string) => readonly string[], exchange: Exchange) => boolean {
  const fields = Object.entries(config).map(([name, patterns]) => ({
    name,
    patterns: patterns?.map((text): string | Template => (text.includes("{") ? compileTemplate(text) : text)),
  }));
  return (values, exchange) =>
    fields.every(({ name, patterns }) => {
      const found = values(name);
      if (patterns === undefined || patterns.length === 0) {
        return found.length > 0 === (patterns !== undefined);
      }
      return found.some((value) =>
        patterns.some((pattern) =>
          matchesValue(typeof pattern === "string" ? pattern : pattern(exchange), value),
        ),
      );
    });
}
