import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { ToldTexts } from "ui-kit/editor/told-texts.ts";
import { traceQlProblem } from "../../../api/traceql-search.ts";
import { traceQlCompletions } from "../use-completions.ts";
import { editorTheme } from "./editor-theme.ts";
import { errorPlace } from "./error-place.ts";
import { traceQl } from "./traceql-language.ts";

/**
 * Milliseconds after the last key until the server is asked for mistakes. Shorter, it would be asked about
 * half words.
 */
const lintDelayMs = 500;

/** The inputs of {@link TraceQlEditor}. */
interface TraceQlEditorProps {
  /** The query. A value that the editor did not tell itself replaces its text. */
  value: string;
  /** True: the field gets the focus when it appears. */
  focused: boolean;
  /** Called with the text after each change. */
  onValue: (value: string) => void;
  /** Called by Enter. */
  onSearch: () => void;
}

/**
 * An editor for TraceQL of several lines: colours, completion of names and values, and mistakes marked
 * where they are, in the server's words. Built once, when it is shown, and destroyed with the component.
 *
 * Keys: Enter searches, Shift Enter begins a line, Tab takes a completion.
 */
export function TraceQlEditor(props: TraceQlEditorProps) {
  const { value, focused, onValue, onSearch } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const queries = useQueryClient();
  const changed = useEffectEvent(onValue);
  const search = useEffectEvent(onSearch);
  const first = useRef({ value, focused });
  const told = useRef(new ToldTexts());

  useEffect(() => {
    if (host.current === null) {
      return;
    }
    // The page's policy forbids style elements; the editor's styles are allowed as sheets of a shadow tree.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const { value: doc, focused: isFocused } = first.current;
    const state = EditorState.create({
      doc,
      // Within the braces, where the next condition goes.
      selection: { anchor: doc.endsWith("}") ? doc.length - 1 : doc.length },
      extensions: extensionsOf(queries, {
        search,
        changed: (text) => {
          told.current.tell(text);
          changed(text);
        },
      }),
    });
    const editor = new EditorView({ state, parent: root, root });
    view.current = editor;
    // The key `/` focuses the host; the browser would focus its scrolling part.
    const { current } = host;
    current.focus = () => editor.focus();
    if (isFocused) {
      editor.focus();
    }
    return () => editor.destroy();
  }, [queries]);

  useEffect(() => {
    const editor = view.current;
    if (told.current.isNews(value) && editor !== undefined && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }
  }, [value]);

  return <div ref={host} className="traceql-editor" data-slash />;
}

/** Told of what happens in an editor. */
interface EditorListeners {
  /** Called by Enter. */
  search: () => void;
  /** Called with the text after each change, whoever made it. */
  changed: (text: string) => void;
}

/** The parts of the editor. Keys of an earlier keymap win: Enter takes a completion while a list is open. */
function extensionsOf(queries: QueryClient, { search, changed }: EditorListeners): Extension[] {
  return [
    traceQl(),
    editorTheme,
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    EditorView.lineWrapping,
    placeholder("{ status = error && duration > 1s }"),
    EditorView.contentAttributes.of({ "aria-label": "TraceQL", spellcheck: "false" }),
    autocompletion({ override: [(context) => complete(queries, context)] }),
    linter((shown) => mistakes(queries, shown), { delay: lintDelayMs }),
    keymap.of([
      ...completionKeymap,
      { key: "Tab", run: acceptCompletion },
      { key: "Shift-Enter", run: insertNewlineAndIndent },
      {
        key: "Enter",
        run: () => {
          search();
          return true;
        },
      },
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        changed(update.state.doc.toString());
      }
    }),
  ];
}

/**
 * Names and values for the text before the caret; null for none. Unasked, a list opens only within a word,
 * or after what a word follows: `.`, or a comparison.
 */
async function complete(
  queries: QueryClient,
  { state, pos, explicit }: CompletionContext,
): Promise<CompletionResult | null> {
  const text = state.doc.toString();
  const found = await traceQlCompletions(queries, text, pos);
  if (found === undefined || (!explicit && found.from === pos && !/[=~<>.]\s?"?$/.test(text.slice(0, pos)))) {
    return null;
  }
  return {
    ...{ from: found.from, to: found.to, filter: false },
    options: found.items.map(({ text: apply, label = apply, note = "", goesOn }) => ({
      ...{ label, detail: note },
      apply(editor, _completion, from, to) {
        editor.dispatch({
          changes: { from, to, insert: apply },
          selection: { anchor: from + apply.length },
        });
        if (goesOn) {
          startCompletion(editor);
        }
      },
    })),
  };
}

/** The mistake that the server finds in the text, at its place; an empty text has none. */
async function mistakes(queries: QueryClient, { state }: EditorView): Promise<Diagnostic[]> {
  const text = state.doc.toString();
  const problem = text.trim() === "" ? undefined : await traceQlProblem(queries, text);
  return problem === undefined ? [] : [{ ...errorPlace(text, problem), severity: "error" as const }];
}
