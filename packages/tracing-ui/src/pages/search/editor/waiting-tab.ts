import { acceptCompletion, completionStatus } from "@codemirror/autocomplete";
import type { Command, EditorView } from "@codemirror/view";

/** Maximum number of milliseconds that Tab waits for a list of completions to be ready. */
const mostWaitMs = 1_000;
/** Milliseconds between two looks at that list. */
const waitStepMs = 20;

/**
 * The Tab key of one editor, which accepts the chosen completion. While the shown list is being refreshed, and just
 * after it opened, nothing can be accepted yet. Tab then waits, at most a second and only while the text stays the
 * same. Without this wait, Tab would leave the editor although the list is visible. Enter and Shift Enter run after a
 * waiting Tab, so that a fast typist gets the chosen completion.
 */
export class WaitingTab {
  readonly #later: (() => void)[] = [];
  #isWaiting = false;

  /** The command of Tab. It returns false when nothing can be accepted: the key then leaves the editor. */
  readonly accept: Command = (view) => {
    if (this.#isWaiting || acceptCompletion(view)) {
      return true;
    }
    const isShown = view.dom.querySelector(".cm-tooltip-autocomplete") !== null;
    if (completionStatus(view.state) === null || !isShown) {
      return false;
    }
    this.#isWaiting = true;
    this.#wait(view, performance.now() + mostWaitMs);
    return true;
  };

  /** Wraps a command so that it runs after a waiting Tab, or at once when no Tab waits. */
  inTurn(command: Command): Command {
    return (view) => {
      if (!this.#isWaiting) {
        return command(view);
      }
      this.#later.push(() => command(view));
      return true;
    };
  }

  #wait(view: EditorView, deadline: number): void {
    const { doc } = view.state;
    const lookAgain = () => {
      const { state } = view;
      const isSame = state.doc === doc && view.hasFocus;
      if (
        isSame &&
        !acceptCompletion(view) &&
        completionStatus(state) !== null &&
        performance.now() < deadline
      ) {
        setTimeout(lookAgain, waitStepMs);
        return;
      }
      this.#isWaiting = false;
      for (const command of this.#later.splice(0)) {
        command();
      }
    };
    setTimeout(lookAgain, waitStepMs);
  }
}
