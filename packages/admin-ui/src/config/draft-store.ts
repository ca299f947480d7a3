import { useSyncExternalStore } from "react";
import { type Draft, keepDraft, readDraft } from "./draft.ts";

/** The draft of this tab, shared by all pages. Read once from session storage. */
let draft: Draft | undefined = readDraft();
const listeners = new Set<() => void>();

/** Replaces the draft of this tab; undefined discards it. */
export function setDraft(next: Draft | undefined): void {
  draft = next;
  keepDraft(next);
  for (const listener of listeners) {
    listener();
  }
}

export function currentDraft(): Draft | undefined {
  return draft;
}

/** Hook for the current draft; updates the component on changes. */
export function useDraft(): Draft | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentDraft);
}
