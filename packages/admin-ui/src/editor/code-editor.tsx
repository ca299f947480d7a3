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
  /** For screen readers. */
  label: string;
  /** Decides colours and indentation. A change rebuilds the editor. */
  language: "json" | "serverfile" | "plain";
  /** The text at first, and whenever it is another one than the editor has. */
  value: string;
  /** Called with the whole text after each change, also after one that `value` made. */
  onChange?: (value: string) => void;
  /** Whether the text can only be read and copied. Default: false. */
  readOnly?: boolean;
  /** Finds faults of a text, at their places. */
  marks?: (state: EditorState) => readonly EditorMark[];
  /** Offers completions at a place; without it the list stays closed. */
  complete?: CompletionSource;
}

/** The grammars; one of them for each language of the props. */
const languages: Readonly<Record<CodeEditorProps["language"], Extension>> = {
  json: json(),
  serverfile: serverfileMode,
  plain: [],
};

/**
 * A text with line numbers, colours, completion, and faults at their places. It lives in a shadow tree,
 * because the page's policy allows no style elements. Tab leaves it, as any field.
 *
 * States: empty, filled, with faults, read-only. The editor is built when the component is shown and
 * destroyed with it.
 */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const told = useRef(new ToldTexts());
  const { label, language, value, readOnly = false, marks } = props;

  // Builds the editor. Other props are read through `latest`, so that a new callback does not rebuild it
  // and lose the cursor.
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

  // Takes over a value of the owner, unless the editor itself told that text a moment ago.
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

/**
 * The parts of CodeMirror that the editor uses. The read-only editor leaves out history, completion and the
 * listener.
 */
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
    // A region that scrolls must be reached by key, also one that cannot be edited.
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
