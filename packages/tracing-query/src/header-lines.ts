import { z } from "zod";

const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

/**
 * An option for headers: one `Key: Value` per line, or a repeated option. A repeated key keeps all its values.
 */
export function headerLines() {
  return z
    .string()
    .transform((text, context): ReadonlyMap<string, string> => {
      const headers = new Map<string, string>();
      const lines = text.split(/\r?\n/).filter((part) => part.trim() !== "");
      for (const [index, one] of lines.entries()) {
        const [, key, value] = line.exec(one.trim()) ?? [];
        if (key === undefined || value === undefined) {
          // The line may be a secret whose name was forgotten.
          context.addIssue(`header ${index + 1} is not of the form "Key: Value"`);
          return z.NEVER;
        }
        const before = headers.get(key.toLowerCase());
        headers.set(key.toLowerCase(), before === undefined ? value : `${before},${value}`);
      }
      return headers;
    })
    .prefault("")
    .meta({ placeholder: "Key: Value", repeatable: true });
}
