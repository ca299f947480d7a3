/** Share of the remaining letters that come from the beginning. The end distinguishes similar names. */
const beginning = 0.6;

/** Returns a text of at most `most` letters. In a longer text an ellipsis replaces the middle. */
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
