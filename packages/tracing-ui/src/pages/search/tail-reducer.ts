import type { TailSpan } from "../../api/tail.ts";

/** Rows that are kept; older ones fall out. Without a bound a busy tail would fill the tab's memory. */
export const mostTailRows = 500;

/** The visible state of a tail. */
export interface TailState {
  /** Whether the stream was opened since the conditions changed. */
  open: boolean;
  /** Whether new spans wait. */
  paused: boolean;
  /** The newest first. */
  rows: readonly TailSpan[];
  /** Spans that arrived during a pause, newest first. */
  waiting: readonly TailSpan[];
  /** Spans that arrived, also those that fell out of the rows. */
  seen: number;
  /** Spans that the server left out, because there were too many. */
  skipped: number;
  /** Why the stream is broken; undefined while it is not. */
  problem: string | undefined;
}

/** Before anything arrived. */
export const startTail: TailState = {
  ...{ open: false, paused: false, rows: [], waiting: [] },
  ...{ seen: 0, skipped: 0, problem: undefined },
};

/**
 * An event of a tail:
 * - `begin`: other conditions, everything starts again
 * - `opened`: the stream is open, for the first time or again
 * - `spans`: new spans, the newest last
 * - `skipped`: the server left spans out
 * - `failed`: the stream is broken
 * - `pause`: the user paused or goes on
 */
export type TailAction =
  | { type: "begin" }
  | { type: "opened" }
  | { type: "spans"; spans: readonly TailSpan[] }
  | { type: "skipped"; spans: number }
  | { type: "failed"; message: string }
  | { type: "pause"; paused: boolean };

/** The state after an action. Neither rows nor what waits ever grows past `mostTailRows`. */
export function tailReducer(state: TailState, action: TailAction): TailState {
  switch (action.type) {
    case "begin":
      return { ...startTail, paused: state.paused };
    case "opened":
      return { ...state, open: true, problem: undefined };
    case "spans": {
      const seen = state.seen + action.spans.length;
      const into = state.paused ? "waiting" : "rows";
      const known = new Set(state[into].slice(0, 2 * action.spans.length).map(idOf));
      // A stream that broke begins again a little before.
      const fresh = action.spans.filter((span) => !known.has(idOf(span))).toReversed();
      return {
        ...state,
        seen,
        problem: undefined,
        [into]: [...fresh, ...state[into]].slice(0, mostTailRows),
      };
    }
    case "skipped":
      return { ...state, skipped: state.skipped + action.spans };
    case "failed":
      return { ...state, problem: action.message };
    case "pause": {
      const rows = action.paused ? state.rows : [...state.waiting, ...state.rows].slice(0, mostTailRows);
      return { ...state, paused: action.paused, rows, waiting: [] };
    }
  }
}

/** A text that names a span. */
function idOf({ traceID, spanID }: TailSpan): string {
  return `${traceID} ${spanID}`;
}
