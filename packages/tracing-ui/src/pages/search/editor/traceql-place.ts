import type { CompletionPlace } from "../completion.ts";

/** Intrinsic names, which every span has. */
const intrinsics =
  /^(name|status|statusMessage|kind|duration|rootName|rootServiceName|traceDuration|(span|trace|event|link|instrumentation):\w+)$/;

/** A value that stands where a name usually does: a number, a duration, a quoted text or a constant. */
const literal = /^(?:-?\d[\d.]*(?:ns|us|µs|ms|s|m|h)?|".*"|true|false|nil)$/u;
/** The beginning of an attribute with its scope. A number such as `.5` is not an attribute. */
const scoped = /^(?:span|resource|event|link|instrumentation|parent)?\.(?!\d)/;

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
    /((?:[\p{L}\p{N}_.:/-]|"(?:[^"\\]|\\.)*")+?)\s*(?:=~|!~|!=|>=|<=|=|>|<)\s*("(?:[^"\\]|\\.)*|[\p{L}\p{N}_.-]*)$/u.exec(
      before,
    );
  const after = text.slice(caret);
  if (value !== null) {
    const [, name, typed] = value as unknown as [string, string, string];
    // `1.5 > span.x` and `span.a = span.b` compare with an attribute: a name follows, not a value.
    if (literal.test(name) || scoped.test(typed)) {
      const { length } = typed;
      return typed.startsWith('"')
        ? undefined
        : { from: caret - length, to: caret + restOfName(after), want: { kind: "key", typed } };
    }
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
  return { from: caret - name.length, to: caret + restOfName(after), want: { kind: "key", typed: name } };
}

/** Number of letters after the caret that belong to the name before the caret. */
function restOfName(after: string): number {
  return /^[\p{L}\p{N}_.:/-]*/u.exec(after)?.[0].length ?? 0;
}

/** Scope and key of a name in TraceQL syntax. `.region` has the scope "", which allows any scope. */
function attributeOf(name: string): { scope: string; key: string } {
  if (intrinsics.test(name)) {
    return { scope: "intrinsic", key: name };
  }
  const [, scope = "", key = name] = /^(span|resource|event|link|instrumentation|)\.(.+)$/.exec(name) ?? [];
  return { scope, key: key.replace(/^"|"$/g, "") };
}
