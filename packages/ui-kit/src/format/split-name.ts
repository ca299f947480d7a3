/** Number of letters at the end of a name that stay visible. The style sheet of cut names must use the same number. */
const endLetters = 8;

/** Divides a name into a beginning, which may be cut, and its last letters. */
export function splitName(name: string): { head: string; tail: string } {
  const letters = [...name];
  return {
    head: letters.slice(0, -endLetters).join(""),
    tail: letters.slice(-endLetters).join(""),
  };
}
