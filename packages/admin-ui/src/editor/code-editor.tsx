import "./code-editor.css";
import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { ToldTexts } from "ui-kit/editor/told-texts.ts";
import { editorColours, editorLook } from "./editor-look.ts";
import type { EditorMark } from "./editor-mark.ts";
import { serverfileMode } from "./serverfile-mode.ts";

/** The text, its language, and the helpers of the editor. */
export interface CodeEditorProps {
  /** Label for screen readers. */
  label: string;
  /** Language for highlighting and indentation. A change rebuilds the editor. */
  language: "json" | "serverfile" | "plain";
  /** Initial text; a changed prop replaces the text of the editor. */
  value: string;
  /** Called with the whole text after each change, also after a changed `value`. */
  onChange?: (value: string) => void;
  /** True when the text can only be read and copied. Default: false. */
  readOnly?: boolean;
  /** Computes faults of a text with their positions. */
  marks?: (state: EditorState) => readonly EditorMark[];
  /** Provides completions at a position; absent disables completion. */
  complete?: CompletionSource;
}

/** Grammar of each language. */
const languages: Readonly<Record<CodeEditorProps["language"], Extension>> = {
  json: json(),
  serverfile: serverfileMode,
  plain: [],
};

/**
 * A text editor with line numbers, highlighting, completion, and fault marks. It lives in a shadow tree, because the
 * page's policy allows no style elements. Tab leaves the editor, as in any field.
 *
 * States: empty, filled, with faults, read-only. The editor is created when the component is mounted and destroyed on
 * unmount.
 */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const told = useRef(new ToldTexts());
  const { label, language, value, readOnly = false, marks } = props;

  // Creates the editor. Other props are read through `latest`, because a rebuild for a new callback would lose the
  // cursor.
  useEffect(() => {
    const parent = host.current;
    if (parent === null) {
      return;
    }
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open", delegatesFocus: true });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: extensions({ label, language, readOnly }, latest, told.current),
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, language, readOnly]);

  // Replaces the text by a changed `value`, unless the editor itself reported this text.
  useEffect(() => {
    const editor = view.current;
    if (told.current.isNews(value) && editor !== undefined && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }
  }, [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has its marks at other places
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) {
      const { length } = editor.state.doc;
      const placed = (marks?.(editor.state) ?? []).filter(({ from }) => from <= length);
      editor.dispatch(
        setDiagnostics(
          editor.state,
          placed.map((mark) => ({ ...mark, to: Math.min(mark.to, length) })),
        ),
      );
    }
  }, [marks, value, label, language, readOnly]);

  return <div ref={host} className="code-editor" data-editor={readOnly ? undefined : ""} />;
}

/** The CodeMirror extensions of the editor. A read-only editor has no history, no completion and no listener. */
function extensions(
  { label, language, readOnly }: Pick<CodeEditorProps, "label" | "language" | "readOnly">,
  latest: { readonly current: CodeEditorProps },
  told: ToldTexts,
): Extension[] {
  return [
    lineNumbers(),
    drawSelection(),
    bracketMatching(),
    languages[language],
    syntaxHighlighting(editorColours),
    editorLook,
    EditorView.lineWrapping,
    // A scrollable region must be focusable by keyboard, even when it is read-only.
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    lintGutter(),
    keymap.of([...lintKeymap, ...defaultKeymap]),
    readOnly === true
      ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
      : [
          history(),
          closeBrackets(),
          autocompletion({
            override: [(context) => latest.current.complete?.(context) ?? null],
            icons: false,
          }),
          keymap.of([...completionKeymap, ...historyKeymap]),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) {
              const text = state.doc.toString();
              told.tell(text);
              latest.current.onChange?.(text);
            }
          }),
        ],
  ];
}
