import { type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  hoverTooltip,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import type { ErrorPlace } from "./error-place.ts";

/** Finds the mistake in a text; undefined for a text without one. */
type FindMistake = (text: string) => Promise<ErrorPlace | undefined>;

const found = StateEffect.define<ErrorPlace | undefined>();

/** The shown mistake. Edits move its place; the next check replaces it. */
const shownMistake = StateField.define<ErrorPlace | undefined>({
  create: () => undefined,
  update(shown, { changes, effects }) {
    const news = effects.find((effect) => effect.is(found));
    if (news !== undefined) {
      return news.value;
    }
    return shown && { ...shown, from: changes.mapPos(shown.from, 1), to: changes.mapPos(shown.to, -1) };
  },
  provide: (field) =>
    EditorView.decorations.from(field, (shown) =>
      shown === undefined || shown.from >= shown.to
        ? Decoration.none
        : Decoration.set(
            // The message is also a description of the text, for screen readers.
            Decoration.mark({
              class: "cm-mistake",
              attributes: { "aria-invalid": "grammar", "aria-description": shown.message },
            }).range(shown.from, shown.to),
          ),
    ),
});

/**
 * Marks the mistake in the text, and shows its message when the pointer rests on it. The check runs when the text has
 * not changed for `delayMs`; an answer about an earlier text is dropped. A check that fails leaves the marks as they
 * are.
 */
export function mistakeMarks(find: FindMistake, delayMs: number): Extension {
  return [
    shownMistake,
    ViewPlugin.define((view) => {
      let timer = 0;
      const check = async () => {
        const { doc } = view.state;
        const mistake = await find(doc.toString()).catch(() => view.state.field(shownMistake));
        if (timer >= 0 && view.state.doc === doc) {
          view.dispatch({ effects: found.of(mistake) });
        }
      };
      const later = () => {
        clearTimeout(timer);
        timer = window.setTimeout(check, delayMs);
      };
      later();
      return {
        update: ({ docChanged }: ViewUpdate) => docChanged && later(),
        destroy() {
          clearTimeout(timer);
          timer = -1;
        },
      };
    }),
    hoverTooltip(({ state }, place): Tooltip | null => {
      const shown = state.field(shownMistake);
      if (shown === undefined || place < shown.from || place > shown.to) {
        return null;
      }
      const create = () => {
        const dom = document.createElement("div");
        dom.className = "cm-mistake-text";
        dom.textContent = shown.message;
        return { dom };
      };
      return { pos: shown.from, end: shown.to, above: true, create };
    }),
  ];
}
