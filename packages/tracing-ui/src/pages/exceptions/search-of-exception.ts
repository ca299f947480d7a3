import type { ExceptionGroup } from "../../api/exceptions.ts";

/**
 * TraceQL of all spans with such an exception: the type, and the message around the differing parts. `no
 * row <number>` gives `event.exception.message =~ "no row .*.*"`.
 */
export function searchOf({ type, template }: Pick<ExceptionGroup, "type" | "template">): string {
  const conditions = type === "(no type)" ? [] : [`event.exception.type = ${JSON.stringify(type)}`];
  const parts = template.split(/<(?:url|id|address|text|number)>/);
  if (parts.length === 1) {
    // A message of a thousand letters may have been cut.
    const isWhole = template.length < 1_000;
    const pattern = isWhole ? template : `${escaped(template)}.*`;
    conditions.push(`event.exception.message ${isWhole ? "=" : "=~"} ${JSON.stringify(pattern)}`);
  } else {
    conditions.push(`event.exception.message =~ ${JSON.stringify(`${parts.map(escaped).join(".*")}.*`)}`);
  }
  return `{ ${conditions.join(" && ")} }`;
}

/** Escapes a text for a regular expression, so that it matches literally. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
