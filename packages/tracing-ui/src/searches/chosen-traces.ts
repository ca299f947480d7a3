import { useSyncExternalStore } from "react";
import * as z from "zod/mini";

/** A trace that was chosen for a comparison. */
export interface ChosenTrace {
  traceId: string;
  /** Service and operation of the root. */
  name: string;
  /** Duration in microseconds. */
  durationUs: number;
}

const key = "tracing.chosen";
/** Maximum number of chosen traces: a comparison has two sides. */
const most = 2;
const stored = z.array(z.object({ traceId: z.string(), name: z.string(), durationUs: z.number() }));
const listeners = new Set<() => void>();
let chosen: readonly ChosenTrace[] = readChosen();

/** The list with a trace added or removed. A third trace replaces the second. */
export function toggled(list: readonly ChosenTrace[], trace: ChosenTrace): readonly ChosenTrace[] {
  const others = list.filter(({ traceId }) => traceId !== trace.traceId);
  return others.length < list.length ? others : [...others.slice(0, most - 1), trace];
}

/** Adds a trace to the choice, or removes it. The choice survives new searches and page changes in this tab. */
export function toggleChosen(trace: ChosenTrace): void {
  choose(toggled(chosen, trace));
}

/** Clears the choice. */
export function dropChosen(): void {
  choose([]);
}

/** The traces chosen for a comparison, the first as A; two at most. */
export function useChosenTraces(): readonly ChosenTrace[] {
  return useSyncExternalStore(subscribe, () => chosen);
}

/** Replaces the choice, stores it for a reload of this tab, and notifies the pages. */
function choose(next: readonly ChosenTrace[]): void {
  chosen = next;
  try {
    sessionStorage.setItem(key, JSON.stringify(next));
  } catch {
    // Storage is refused: the choice lasts as long as the page.
  }
  for (const listener of listeners) {
    listener();
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The choice that this tab has stored; empty when it cannot be read. */
function readChosen(): readonly ChosenTrace[] {
  try {
    return stored.parse(JSON.parse(sessionStorage.getItem(key) ?? "[]")).slice(0, most);
  } catch {
    return [];
  }
}
