import * as z from "zod/mini";
import { type ImportFormat, importFormats } from "../../api/adapt.ts";

const draft = z.object({ format: z.enum(importFormats), text: z.string() });
const key = "console.import";

/** A text that waits to become a config; this tab keeps it over a reload. */
export interface ImportDraft {
  format: ImportFormat;
  text: string;
}

export function readImport(): ImportDraft {
  try {
    return draft.parse(JSON.parse(sessionStorage.getItem(key) ?? ""));
  } catch {
    return { format: "caddyfile", text: "" };
  }
}

export function keepImport(kept: ImportDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Too large, or refused: the text lasts as long as the page.
  }
}
