/** Characters with a short escape in CEL. */
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

/** Writes a text as a CEL literal. */
export function quote(text: string): string {
  const letters = Array.from(text.toWellFormed(), (letter) => escapes[letter] ?? letter);
  return `"${letters.join("")}"`;
}
