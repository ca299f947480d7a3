/** A number as Go writes it: the digits of JavaScript, but for the sign of zero. */
export function numberJson(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** A text as Go writes it: characters of HTML, and two that JavaScript takes for line ends, are escaped. */
export function textJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
