import { EditorView } from "@codemirror/view";

/** Styles that make the editor look like a form field. CSS variables of the theme also apply in its shadow tree. */
export const editorTheme = EditorView.theme({
  "&": {
    minHeight: "30px",
    maxHeight: "168px",
    border: "1px solid var(--field-line)",
    borderRadius: "var(--radius)",
    background: "var(--panel)",
    color: "var(--text)",
    fontSize: "12px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { overflow: "auto", fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { padding: "4px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--text-3)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
  "&.cm-focused .cm-matchingBracket": { background: "var(--accent-soft)" },
  ".cm-tooltip": {
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    background: "var(--panel)",
    color: "var(--text)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { maxWidth: "min(520px, 90vw)", fontFamily: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionIcon": { display: "none" },
  ".cm-completionDetail": { color: "var(--text-2)", fontStyle: "normal" },
  ".cm-mistake-text": { padding: "4px 8px", borderLeft: "5px solid var(--error)", whiteSpace: "pre-wrap" },
  ".cm-mistake": { textDecoration: "underline wavy var(--error)", textUnderlineOffset: "3px" },
});
