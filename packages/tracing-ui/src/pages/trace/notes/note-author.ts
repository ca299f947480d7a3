const key = "tracing.note-author";

/** The author name of the last note written in this browser; "" for none. */
export function noteAuthor(): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Stores the author name for the next note, if the browser allows storage. */
export function keepNoteAuthor(name: string): void {
  try {
    localStorage.setItem(key, name);
  } catch {
    // Storage is refused or full: the user must type the name again.
  }
}
