/** Who waits for a turn, first come first. */
const waiting: (() => void)[] = [];
let isDue = false;

/**
 * Gives the event loop back in the middle of long work, and goes on in a turn of it that no other caller has: however many do long
 * work at once, one turn of the loop has a piece of one of them. With `setImmediate` alone, all that wait would go on in the same
 * turn, and ten pieces of some milliseconds hold up everybody else as one long one does.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    giveTurn();
  });
}

function giveTurn(): void {
  if (isDue) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    waiting.shift()?.();
    if (waiting.length > 0) giveTurn();
  });
}
