const types: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^(TabSeparated|TSV)/i, "text/tab-separated-values; charset=UTF-8"],
  [/^CSV/i, "text/csv; charset=UTF-8; header=absent"],
  [/EachRow/i, "application/x-ndjson; charset=UTF-8"],
  [/^JSON/i, "application/json; charset=UTF-8"],
  [/^(Pretty|Vertical|Values|LineAsString|Raw|Markdown|TSKV|SQLInsert|Null)/i, "text/plain; charset=UTF-8"],
  [/^XML/i, "application/xml; charset=UTF-8"],
];

/** Content-Type for a result in this format; for binary formats application/octet-stream. */
export function contentType(format: string): string {
  if (/^CSVWithNames/i.test(format)) {
    return "text/csv; charset=UTF-8; header=present";
  }
  return types.find(([pattern]) => pattern.test(format))?.[1] ?? "application/octet-stream";
}
