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

/** Intrinsic names, which every span has. */
const intrinsics =
  /^(name|status|statusMessage|kind|duration|rootName|rootServiceName|traceDuration|(span|trace|event|link|instrumentation):\w+)$/;

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

/**
 * Finds the completion place in TraceQL. With the caret behind `{ span.http.method = "G` a value of that attribute is
 * wanted.
 * @param caret index in the text
 * @returns undefined when neither a name nor a value is expected
 */
export function traceQlPlace(text: string, caret: number): CompletionPlace | undefined {
  const before = text.slice(0, caret);
  if ((before.match(/\{/g)?.length ?? 0) <= (before.match(/\}/g)?.length ?? 0)) {
    // Outside a spanset only the stages `by` and `select` take names of attributes.
    if (!/\|\s*(by|select)\s*\([^)]*$/.test(before)) {
      return undefined;
    }
  }
  const value =
    /([\p{L}\p{N}_.:"/-]+?)\s*(?:=~|!~|!=|>=|<=|=|>|<)\s*("(?:[^"\\]|\\.)*|[\p{L}\p{N}_.-]*)$/u.exec(before);
  const after = text.slice(caret);
  if (value !== null) {
    const [, name, typed] = value as unknown as [string, string, string];
    const rest = typed.startsWith('"') ? /^[^"\s}]*"?/ : /^[\p{L}\p{N}_.-]*/u;
    return {
      from: caret - typed.length,
      to: caret + (rest.exec(after)?.[0].length ?? 0),
      want: { kind: "value", ...attributeOf(name), typed: typed.replace(/^"/, "") },
    };
  }
  const name = /(?:^|[\s{(,!|&])([\p{L}\p{N}_.:/-]*)$/u.exec(before)?.[1];
  if (name === undefined) {
    return undefined;
  }
  const rest = /^[\p{L}\p{N}_.:/-]*/u.exec(after)?.[0].length ?? 0;
  return { from: caret - name.length, to: caret + rest, want: { kind: "key", typed: name } };
}

/** Scope and key of a name in TraceQL syntax. `.region` has the scope "", which allows any scope. */
function attributeOf(name: string): { scope: string; key: string } {
  if (intrinsics.test(name)) {
    return { scope: "intrinsic", key: name };
  }
  const [, scope = "", key = name] = /^(span|resource|event|link|instrumentation|)\.(.+)$/.exec(name) ?? [];
  return { scope, key: key.replace(/^"|"$/g, "") };
}
