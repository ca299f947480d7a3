import * as z from "zod/mini";
import { type PatchOperation, patchOperation } from "../api/json-patch.ts";
import type { JsonValue } from "../api/json-value.ts";
import { applyOperation, PatchMismatch } from "./apply-operation.ts";

/** Changes that are not applied yet, and the version that they are based on. */
export interface Draft {
  /**
   * ETag of the config that the edits are based on. When another config runs meanwhile, the page shows a conflict.
   */
  etag: string;
  /** Number of that version in the history; undefined without a history. */
  version?: number | undefined;
  /** Edits in order of creation; "Undo the last" removes the last one. */
  edits: readonly PatchOperation[];
}

/** The stored form; a draft of another form, from an older console, is discarded. */
const storedDraft = z.object({
  etag: z.string(),
  version: z.optional(z.number()),
  edits: z.array(patchOperation),
});

/** Key of the draft in session storage. */
const key = "console.draft";

/** Reads the draft that survived a reload of this tab. */
export function readDraft(): Draft | undefined {
  try {
    return storedDraft.parse(JSON.parse(sessionStorage.getItem(key) ?? ""));
  } catch {
    return undefined;
  }
}

/** Stores the draft of this tab; undefined deletes it. */
export function keepDraft(draft: Draft | undefined): void {
  try {
    if (draft === undefined || draft.edits.length === 0) {
      sessionStorage.removeItem(key);
    } else {
      sessionStorage.setItem(key, JSON.stringify(draft));
    }
  } catch {
    // Storage is full or disabled: the draft lasts only as long as the page.
  }
}

/**
 * Appends an edit. If the last edit set the same place, both are merged, so that typing into one field is one change.
 * Places in lists are never merged, because the same index may be a different element by then.
 */
export function withEdit(edits: readonly PatchOperation[], edit: PatchOperation): readonly PatchOperation[] {
  const last = edits.at(-1);
  const sameField = last?.path === edit.path && edit.op === "replace" && !/\/(\d+|-)$/.test(edit.path);
  if (sameField && last !== undefined && (last.op === "replace" || last.op === "add")) {
    return [...edits.slice(0, -1), { ...last, value: edit.value }];
  }
  return [...edits, edit];
}

/**
 * Applies edits to another version of the document, in order.
 * @returns the document with the edits that fit, those edits, and the edits that no longer fit
 */
export function rebase(
  document: JsonValue,
  edits: readonly PatchOperation[],
): { document: JsonValue; fitting: PatchOperation[]; lost: PatchOperation[] } {
  let result = document;
  const fitting: PatchOperation[] = [];
  const lost: PatchOperation[] = [];
  for (const edit of edits) {
    try {
      result = applyOperation(result, edit);
      fitting.push(edit);
    } catch (error) {
      if (!(error instanceof PatchMismatch)) {
        throw error;
      }
      lost.push(edit);
    }
  }
  return { document: result, fitting, lost };
}
