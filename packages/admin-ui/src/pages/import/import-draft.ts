import * as z from "zod/mini";
import { type ImportFormat, importFormats } from "../../api/adapt.ts";

/** The stored form; another form, from an older console, counts as empty. */
const draft = z.object({ format: z.enum(importFormats), text: z.string() });
const key = "console.import";

/** A text to import; this tab keeps it over a reload. */
export interface ImportDraft {
  /** Format of the text. */
  format: ImportFormat;
  /** The text as typed; "" before the first letter. */
  text: string;
}

/** The stored text; an empty Caddyfile without one. Called once, when the page opens. */
export function readImport(): ImportDraft {
  try {
    return draft.parse(JSON.parse(sessionStorage.getItem(key) ?? ""));
  } catch {
    return { format: "caddyfile", text: "" };
  }
}

/** Stores the text for a reload of this tab. Called at each change. */
export function keepImport(kept: ImportDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Storage is full or disabled: the text lasts only as long as the page.
  }
}
