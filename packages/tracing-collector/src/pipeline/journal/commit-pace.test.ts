import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommitPace } from "./commit-pace.ts";

/** Tells if the promise is pending now, and when it has resolved. */
function watched(waiting: Promise<void>) {
  const state = { isOver: false };
  waiting.then(() => {
    state.isOver = true;
  });
  return state;
}

describe("CommitPace", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("lets the first commit begin at once, and that of a sender that is alone", async () => {
    const pace = new CommitPace();
    await pace.wait(1);
    pace.committed(1, 0);
    await pace.wait(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits for all that the last commit answered, and for those that were waiting then", async () => {
    const pace = new CommitPace();
    pace.committed(2, 1);
    const state = watched(pace.wait(1));
    pace.arrived(2);
    await vi.advanceTimersByTimeAsync(7);
    expect(state.isOver).toBe(false);
    pace.arrived(3);
    await vi.advanceTimersByTimeAsync(0);
    expect(state.isOver).toBe(true);
  });

  test("does not wait when all are there", async () => {
    const pace = new CommitPace();
    pace.committed(2, 1);
    await pace.wait(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("begins without those that do not come within milliseconds after the commit", async () => {
    const pace = new CommitPace();
    pace.committed(5, 0);
    await vi.advanceTimersByTimeAsync(5);
    const state = watched(pace.wait(1));
    await vi.advanceTimersByTimeAsync(2);
    expect(state.isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.isOver).toBe(true);
    await pace.wait(1);
  });

  test("begins at once when the journal ends", async () => {
    const pace = new CommitPace();
    pace.committed(5, 0);
    const state = watched(pace.wait(1));
    pace.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(state.isOver).toBe(true);
    await pace.wait(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
