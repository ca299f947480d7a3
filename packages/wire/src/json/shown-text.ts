const shownLength = 100;

/** Shortens a sender's text to 100 characters for an error message. */
export function shownText(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
