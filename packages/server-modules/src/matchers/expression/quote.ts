/** Characters that have an escape of their own in CEL. */
const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** A text as a literal of CEL that is safe to print. */
export function quote(text: string): string {
  const letters = Array.from(text.toWellFormed(), (letter) => escapes[letter] ?? letter);
  return `"${letters.join("")}"`;
}
