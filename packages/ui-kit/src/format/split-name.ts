/** Letters of the end of a name that stay in sight; the style sheet of cut names has as many. */
const endLetters = 8;

/** Divides a name into a beginning, which may be cut, and its last letters. */
export function splitName(name: string): { head: string; tail: string } {
  const letters = [...name];
  return {
    head: letters.slice(0, -endLetters).join(""),
    tail: letters.slice(-endLetters).join(""),
  };
}
