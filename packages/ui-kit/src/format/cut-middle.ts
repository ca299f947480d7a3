/** Of the letters left so many are of the beginning; the end tells like names apart. */
const beginning = 0.6;

/** A text of at most `most` letters: a longer one is cut in its middle, where an ellipsis stands. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const letters = [...text];
  if (letters.length <= most) return text;
  const head = Math.ceil((most - 1) * beginning);
  return `${letters.slice(0, head).join("").trimEnd()}…${letters
    .slice(letters.length - (most - 1 - head))
    .join("")
    .trimStart()}`;
}
