const key = "tracing.note-author";

/** The name that was last put under a note in this browser; "" for none. */
export function noteAuthor(): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a name for the next note, where the browser allows it. */
export function keepNoteAuthor(name: string): void {
  try {
    localStorage.setItem(key, name);
  } catch {
    // Storage refused or full: it is typed again.
  }
}
