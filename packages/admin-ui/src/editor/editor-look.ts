import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The editor's theme in the console's colors and sizes; CSS variables provide both color schemes. */
export const editorLook = EditorView.theme({
  "&": {
    height: "100%",
    border: "1px solid var(--field-line)",
    borderRadius: "var(--radius)",
    backgroundColor: "var(--panel)",
    color: "var(--text)",
    fontSize: "var(--size-small)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "18px" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--accent) 30%, transparent)",
  },
  ".cm-gutters": {
    borderRight: "1px solid var(--line)",
    backgroundColor: "var(--sunken)",
    color: "var(--text-3)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-tooltip": {
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    backgroundColor: "var(--panel)",
    color: "var(--text)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", lineHeight: "20px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "var(--bold)" },
  ".cm-completionDetail": { color: "var(--text-2)", fontStyle: "normal" },
  ".cm-completionInfo": { maxWidth: "320px", padding: "6px 8px" },
  ".cm-diagnostic": { padding: "4px 8px", borderLeft: "4px solid var(--error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--error)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--warning)",
    textUnderlineOffset: "3px",
  },
});

/** Colours of code: names have the colour of links, comments are grey, the rest has the text colour. */
export const editorColours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword, tags.tagName], color: "var(--accent)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--text-2)", fontStyle: "italic" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], fontWeight: "var(--bold)" },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "var(--text-2)" },
  { tag: tags.variableName, color: "var(--text-2)" },
]);
