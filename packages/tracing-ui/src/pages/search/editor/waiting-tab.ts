import { acceptCompletion, completionStatus } from "@codemirror/autocomplete";
import type { Command, EditorView } from "@codemirror/view";

/** Milliseconds that Tab waits for a list of completions to be ready. */
const mostWaitMs = 1_000;
/** Milliseconds between two looks at that list. */
const waitStepMs = 20;

/**
 * The Tab key of one editor: it accepts the chosen completion. A shown list that is being read anew, or has just
 * come, accepts nothing yet: then the key waits, at most a second, as long as the text stays. Otherwise Tab would
 * leave the editor with the list in sight. The keys that end the word wait for Tab in their turn, so that a fast hand
 * gets what it chose.
 */
export class WaitingTab {
  readonly #later: (() => void)[] = [];
  #isWaiting = false;

  /** The command of Tab. False where nothing can be accepted: the key then leaves the editor. */
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

  /** The same command, run after the Tab that waits, or at once where none does. */
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
