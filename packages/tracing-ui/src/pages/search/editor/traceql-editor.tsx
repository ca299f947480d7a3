import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { history, historyKeymap, insertNewlineAndIndent, standardKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { ToldTexts } from "ui-kit/editor/told-texts.ts";
import type { AskedRange } from "../../../api/analysis.ts";
import { traceQlProblem } from "../../../api/traceql-search.ts";
import { editorTheme } from "./editor-theme.ts";
import { type ErrorPlace, errorPlace } from "./error-place.ts";
import { mistakeMarks } from "./mistake-marks.ts";
import { type CompletionSource, traceQlCompletions } from "./traceql-completions.ts";
import { traceQl } from "./traceql-language.ts";
import { WaitingTab } from "./waiting-tab.ts";

/**
 * Milliseconds from the last key to the request that checks the query. A shorter delay would check
 * incomplete words.
 */
const checkDelayMs = 500;
/** The inputs of {@link TraceQlEditor}. */
interface TraceQlEditorProps {
  /** The query. A value that did not come from the editor's own `onValue` replaces its text. */
  value: string;
  /** True when the field gets the focus on mount. */
  focused: boolean;
  /** Time range of the spans that give names and values; undefined while a custom range is incomplete. */
  range: AskedRange | undefined;
  /** Called with the text after each change. */
  onValue: (value: string) => void;
  /** Called when the user presses Enter. */
  onSearch: () => void;
}

/**
 * A multi-line editor for TraceQL: colours, completion of names and values, and mistakes marked
 * in place with the server's message. Created once on mount, and destroyed with the component.
 *
 * Keys: Enter searches, Shift Enter begins a new line, Tab accepts a completion.
 */
export function TraceQlEditor(props: TraceQlEditorProps) {
  const { value, focused, range, onValue, onSearch } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const queries = useQueryClient();
  const changed = useEffectEvent(onValue);
  const search = useEffectEvent(onSearch);
  const source = useEffectEvent(() => ({ queries, range }));
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
      // The caret starts before the closing brace, where the user types the next condition.
      selection: { anchor: doc.endsWith("}") ? doc.length - 1 : doc.length },
      extensions: extensionsOf(queries, {
        search,
        source,
        changed: (text) => {
          told.current.tell(text);
          changed(text);
        },
      }),
    });
    const editor = new EditorView({ state, parent: root, root });
    view.current = editor;
    // The key `/` focuses the host; without this the browser would focus its scrollable part instead of the text.
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

/** Listeners for the events of an editor. */
interface EditorListeners {
  /** Called when the user presses Enter. */
  search: () => void;
  /** Returns the current source of completions. */
  source: () => CompletionSource;
  /** Called with the text after each change, by the user or by the program. */
  changed: (text: string) => void;
}

/** The extensions of the editor. Earlier keymaps win, so Enter accepts a completion while a list is open. */
function extensionsOf(queries: QueryClient, { search, source, changed }: EditorListeners): Extension[] {
  const tab = new WaitingTab();
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
    autocompletion({ override: [(context) => complete(source(), context)] }),
    mistakeMarks((text) => mistakeIn(queries, text), checkDelayMs),
    keymap.of([
      ...completionKeymap,
      { key: "Tab", run: tab.accept },
      { key: "Shift-Enter", run: tab.inTurn(insertNewlineAndIndent) },
      {
        key: "Enter",
        run: tab.inTurn(() => {
          search();
          return true;
        }),
      },
      ...historyKeymap,
      ...standardKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        changed(update.state.doc.toString());
      }
    }),
  ];
}

/**
 * Names and values for the text before the caret; null for none. Without an explicit request a list opens only within
 * a word, or after `.` or a comparison operator.
 */
async function complete(
  source: CompletionSource,
  { state, pos, explicit }: CompletionContext,
): Promise<CompletionResult | null> {
  const text = state.doc.toString();
  const found = await traceQlCompletions(source, text, pos);
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

/** The mistake that the server finds in the text, with its position. Empty text is not checked. */
async function mistakeIn(queries: QueryClient, text: string): Promise<ErrorPlace | undefined> {
  const problem = text.trim() === "" ? undefined : await traceQlProblem(queries, text);
  return problem === undefined ? undefined : errorPlace(text, problem);
}
