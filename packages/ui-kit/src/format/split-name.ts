/** Number of letters at the end of a name that stay visible. The style sheet of cut names must use the same number. */
const endLetters = 8;

/**
 * Divides a name into a beginning, which may be cut, and its last letters. A short name is divided in its middle:
 * without a beginning, a field too narrow for the name would show only the end of it.
 */
export function splitName(name: string): { head: string; tail: string } {
  const letters = [...name];
  const end = letters.length - Math.min(endLetters, Math.floor(letters.length / 2));
  return { head: letters.slice(0, end).join(""), tail: letters.slice(end).join("") };
}
