import { HighlightStyle, LanguageSupport, LRLanguage, syntaxHighlighting } from "@codemirror/language";
import { styleTags, tags } from "@lezer/highlight";
import { parser } from "./traceql.grammar";

/** The grammar, and the highlighting of its nodes. */
const language = LRLanguage.define({
  name: "traceql",
  parser: parser.configure({
    props: [
      styleTags({
        Attribute: tags.propertyName,
        "Intrinsic Name": tags.variableName,
        Keyword: tags.atom,
        Function: tags.function(tags.variableName),
        String: tags.string,
        Number: tags.number,
        "Operator Pipe Comma": tags.operator,
        "{ } ( )": tags.bracket,
      }),
    ],
  }),
  languageData: { closeBrackets: { brackets: ["{", "(", '"', "`"] } },
});

/** Each pair has a contrast of at least 4.5 on its theme's panel. */
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.variableName, color: "light-dark(oklch(0.45 0.1 230), oklch(0.82 0.08 230))" },
  { tag: tags.atom, color: "light-dark(oklch(0.45 0.14 300), oklch(0.82 0.1 300))" },
  { tag: tags.number, color: "light-dark(oklch(0.45 0.14 300), oklch(0.82 0.1 300))" },
  { tag: tags.string, color: "light-dark(oklch(0.43 0.1 150), oklch(0.82 0.1 150))" },
  { tag: tags.function(tags.variableName), color: "var(--text)", fontWeight: "600" },
  { tag: [tags.operator, tags.bracket], color: "var(--text-2)" },
]);

/** TraceQL with its colours. */
export function traceQl(): LanguageSupport {
  return new LanguageSupport(language, [syntaxHighlighting(colours)]);
}
