import { expect, test } from "vitest";
import type { TailSpan } from "../../api/tail.ts";
import { mostTailRows, startTail, tailReducer } from "./tail-reducer.ts";

const span = (spanID: string): TailSpan => ({
  ...{ traceID: "t", spanID, parentSpanID: "", service: "a", operation: "b", kind: "server" },
  ...{ start: 1, duration: 1, error: false },
});
const spans = (...ids: string[]) => ({ type: "spans", spans: ids.map(span) }) as const;
const shown = (rows: readonly TailSpan[]) => rows.map(({ spanID }) => spanID).join("");

test("the newest stand on top, and come once", () => {
  let state = tailReducer(startTail, spans("a", "b"));
  state = tailReducer(state, spans("b", "c"));
  expect(shown(state.rows)).toBe("cba");
});

test("while it is paused rows stay; then what arrived comes", () => {
  let state = tailReducer(startTail, spans("a"));
  state = tailReducer(state, { type: "pause", paused: true });
  state = tailReducer(state, spans("b"));
  expect(shown(state.rows)).toBe("a");
  state = tailReducer(state, { type: "pause", paused: false });
  expect(shown(state.rows)).toBe("ba");
  expect(state.waiting).toEqual([]);
});

test("rows are bounded", () => {
  let state = startTail;
  for (let turn = 0; turn < 20; turn += 1) {
    state = tailReducer(state, spans(...Array.from({ length: 100 }, (_, index) => `${turn}/${index}`)));
  }
  expect(state.rows).toHaveLength(mostTailRows);
  expect(state.rows[0]?.spanID).toBe("19/99");
  expect(state.seen).toBe(2_000);
});

test("a problem is told until spans come again", () => {
  const failed = tailReducer(startTail, { type: "failed", message: "away" });
  expect(failed.problem).toBe("away");
  expect(tailReducer(failed, spans("a")).problem).toBeUndefined();
});
