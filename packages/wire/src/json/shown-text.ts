const shownLength = 100;

/** A text of the sender for an error message: at most its first 100 characters. */
export function shownText(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
