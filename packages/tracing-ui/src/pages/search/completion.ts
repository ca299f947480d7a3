/** The word under the caret of a query, and the range that a completion replaces. */
export interface CompletionPlace {
  /** Start of the part of the text that a completion replaces. */
  from: number;
  /** End of the replaced part. */
  to: number;
  want: /** The name of an attribute, of which `typed` is the beginning. */
    | { kind: "key"; typed: string }
    | {
        kind: "value";
        /**
         * The scope of the attribute before the operator: `span`, `resource`, `intrinsic` …; "" allows any.
         */
        scope: string;
        key: string;
        typed: string;
      };
}

/**
 * Finds the completion place in a text of tags, `key=value "other key"=value`. With the caret at the end of `error=t` a
 * value of `error` is wanted, and `t` is replaced.
 * @param caret index in the text
 */
export function tagPlace(text: string, caret: number): CompletionPlace {
  let from = caret;
  // Finds the pair that contains the caret; blanks in quotes do not end a pair.
  const pairs = /(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g;
  for (const match of text.matchAll(pairs)) {
    if (match.index <= caret && caret <= match.index + match[0].length) {
      from = match.index;
    }
  }
  const typed = text.slice(from, caret);
  const pair = /^("(?:[^"\\]|\\.)*"|[^\s="]+)=(.*)$/s.exec(typed);
  const to = caret + (/^[^\s"]*/.exec(text.slice(caret))?.[0].length ?? 0);
  if (pair === null) {
    return { from, to, want: { kind: "key", typed: typed.replace(/^"/, "") } };
  }
  const [, key, value] = pair as unknown as [string, string, string];
  return {
    from: from + key.length + 1,
    to,
    want: {
      kind: "value",
      scope: "",
      key: key.replace(/^"|"$/g, ""),
      typed: value.replace(/^"/, ""),
    },
  };
}
