/** Callers that wait for a turn, first come, first served. */
const waiting: (() => void)[] = [];
let isDue = false;

/**
 * Yields to the event loop in the middle of long work, and resolves in a turn that no other caller has. With
 * plain `setImmediate` all waiting callers would continue in the same turn. Ten pieces of work of some
 * milliseconds each would then delay other requests as one long piece does.
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
