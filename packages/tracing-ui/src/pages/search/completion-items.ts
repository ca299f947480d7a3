import type { Completion } from "ui-kit/components/completion-field.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { AttributeValue } from "../../api/analysis.ts";
import { quotedTag } from "../../searches/tag-text.ts";
import type { CompletionPlace } from "./completion.ts";
import { quoted } from "./traceql-fields.ts";

/** Maximum number of offered completions; nobody reads a longer list. */
const most = 50;

/**
 * Finds the names that contain the typed text. Names that begin with the text come first, then names with a part
 * between dots that begins with it, then the others.
 */
export function matchingItems(items: readonly Completion[], typed: string): Completion[] {
  const wanted = typed.toLowerCase();
  const at = (item: Completion) => (item.label ?? item.text).toLowerCase().indexOf(wanted);
  const part = (item: Completion) =>
    (item.label ?? item.text)
      .toLowerCase()
      .split(".")
      .some((word) => word.startsWith(wanted));
  const rank = (item: Completion) => (at(item) === 0 ? 0 : part(item) ? 1 : 2);
  return items
    .filter((item) => at(item) !== -1)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, most);
}

/**
 * The values that contain the typed text, with their counts. `error` has no values in the store, so its two values
 * are built in.
 */
export function valueItems(
  values: readonly AttributeValue[],
  want: Extract<CompletionPlace["want"], { kind: "value" }>,
  language: "tags" | "traceql",
): Completion[] {
  const typed = want.typed.toLowerCase();
  const known: readonly AttributeValue[] =
    language === "tags" && want.key === "error"
      ? [
          { type: "keyword", value: "true" },
          { type: "keyword", value: "false" },
        ]
      : values;
  return known
    .filter(({ value }) => value.toLowerCase().includes(typed))
    .sort((a, b) => begins(b, typed) - begins(a, typed))
    .slice(0, most)
    .map(({ type, value, count }) => ({
      text: written(type, value, language),
      label: value === "" ? '""' : value,
      note: count === undefined ? "" : formatCount(count),
    }));
}

/** Sort key that puts values first that begin with the typed text. */
function begins({ value }: AttributeValue, typed: string): number {
  return Number(value.toLowerCase().startsWith(typed));
}

/** Writes a value in the syntax of the language. TraceQL quotes only texts. */
function written(type: string, value: string, language: "tags" | "traceql"): string {
  if (language === "tags") {
    return quotedTag(value);
  }
  return type === "string" ? quoted(value) : value;
}
