/** Callers that wait for a turn, in the order of their calls. */
const waiting: (() => void)[] = [];
let isDue = false;

/**
 * Yields to the event loop in the middle of long work, and resolves in a turn of the event loop that no other caller
 * gets. With plain `setImmediate`, all waiting callers would continue in the same turn. Ten pieces of work of a few
 * milliseconds each would then delay other requests as much as one long piece.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    giveTurn();
  });
}

function giveTurn(): void {
  if (isDue) {
    return;
  }
  isDue = true;
  setImmediate(() => {
    isDue = false;
    waiting.shift()?.();
    if (waiting.length > 0) {
      giveTurn();
    }
  });
}
