/** A number in Go's notation: the digits of JavaScript, and a sign for -0. */
export function numberJson(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/**
 * A text in Go's JSON: HTML characters are escaped, and so are the two characters that JavaScript treats as line ends.
 */
export function textJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
