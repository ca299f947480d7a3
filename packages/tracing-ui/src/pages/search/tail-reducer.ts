import type { TailSpan } from "../../api/tail.ts";

/** Maximum number of kept rows; older rows are dropped. Without a limit a busy tail would fill the tab's memory. */
export const mostTailRows = 500;

/** The visible state of a tail. */
export interface TailState {
  /** True when the stream was opened since the conditions changed. */
  open: boolean;
  /** True while the list is paused and new spans go to `waiting`. */
  paused: boolean;
  /** Shown spans, newest first. */
  rows: readonly TailSpan[];
  /** Spans that arrived during a pause, newest first. */
  waiting: readonly TailSpan[];
  /** Number of spans that arrived, including the dropped spans. */
  seen: number;
  /** Number of spans that the server left out, because there were too many. */
  skipped: number;
  /** Error of the stream; undefined while the stream works. */
  problem: string | undefined;
}

/** The state before any span arrived. */
export const startTail: TailState = {
  ...{ open: false, paused: false, rows: [], waiting: [] },
  ...{ seen: 0, skipped: 0, problem: undefined },
};

/**
 * An event of a tail:
 * - `begin`: the conditions changed, so the state is reset
 * - `opened`: the stream is open, for the first time or again
 * - `spans`: new spans arrived, newest last
 * - `skipped`: the server left spans out
 * - `failed`: the stream is broken
 * - `pause`: the user paused or resumed
 */
export type TailAction =
  | { type: "begin" }
  | { type: "opened" }
  | { type: "spans"; spans: readonly TailSpan[] }
  | { type: "skipped"; spans: number }
  | { type: "failed"; message: string }
  | { type: "pause"; paused: boolean };

/** The state after an action. `rows` and `waiting` never grow past `mostTailRows`. */
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
      // A reconnected stream starts slightly before the break, so known spans arrive again.
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

/** A unique text for a span. */
function idOf({ traceID, spanID }: TailSpan): string {
  return `${traceID} ${spanID}`;
}
