import * as z from "zod/mini";
import { type PatchOperation, patchOperation } from "../api/json-patch.ts";
import type { JsonValue } from "../api/json-value.ts";
import { applyOperation, PatchMismatch } from "./apply-operation.ts";

/** Changes that are not applied yet, and the version of the config that they were made on. */
export interface Draft {
  /**
   * Etag of the config that the edits were made on. When another one runs by now, the page shows a
   * conflict.
   */
  etag: string;
  /** Number of that version in the history; undefined where none is kept. */
  version?: number | undefined;
  /** The edits in the order that they were made; "Undo the last" drops the last. */
  edits: readonly PatchOperation[];
}

/** The stored form; a draft of another shape, from an older console, is dropped. */
const storedDraft = z.object({
  etag: z.string(),
  version: z.optional(z.number()),
  edits: z.array(patchOperation),
});

/** Name of the draft in the tab's session storage. */
const key = "console.draft";

/** The draft that this tab kept over a reload. */
export function readDraft(): Draft | undefined {
  try {
    return storedDraft.parse(JSON.parse(sessionStorage.getItem(key) ?? ""));
  } catch {
    return undefined;
  }
}

/** Keeps a draft for this tab; undefined forgets it. */
export function keepDraft(draft: Draft | undefined): void {
  try {
    if (draft === undefined || draft.edits.length === 0) {
      sessionStorage.removeItem(key);
    } else {
      sessionStorage.setItem(key, JSON.stringify(draft));
    }
  } catch {
    // Too large, or refused: the draft lasts as long as the page.
  }
}

/**
 * Puts an edit at the end. An edit of the place that the last edit set is merged into it, so that typing
 * into one field is one change. Places in lists are never merged: the same index may be another element by
 * then.
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
 * Applies edits to another version of the document, one after the other.
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
