/** The share of the letters that come from the beginning; the end distinguishes similar names. */
const beginning = 0.6;

/** A text of at most `most` letters: a longer one is cut in its middle, where an ellipsis stands. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) {
    return text;
  }
  const letters = [...text];
  if (letters.length <= most) {
    return text;
  }
  const head = Math.ceil((most - 1) * beginning);
  return `${letters.slice(0, head).join("").trimEnd()}…${letters
    .slice(letters.length - (most - 1 - head))
    .join("")
    .trimStart()}`;
}
