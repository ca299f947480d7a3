import { StorageError } from "storage/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClaimedJournal } from "./journal/shared-journals.ts";
import { OrphanJournals } from "./orphan-journals.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store that is down until `isThere`, and the journals that are opened. */
function world(orphans: { segments: number }[]) {
  const log = { info: vi.fn(), error: vi.fn() };
  const state = { isThere: false, takes: true, asked: 0, opened: 0, closed: 0 };
  const journals = orphans.map((orphan) => ({
    ...{ folder: "journal-1" },
    journal: {
      get segments() {
        return orphan.segments;
      },
      rows: 7,
      finish: async () => {},
      close: async () => {
        state.closed++;
      },
    },
  })) as unknown as ClaimedJournal[];
  const settings = {
    open: async (ready: () => Promise<void>) => {
      await ready();
      const left = orphans.some(({ segments }) => segments > 0);
      state.opened += left ? journals.length : 0;
      return left ? journals : [];
    },
    ready: async () => {
      state.asked++;
      if (!state.isThere) {
        throw new StorageError("STORAGE_UNAVAILABLE", "away");
      }
    },
    writerOf: () => ({
      start: () => {},
      drain: async () => {
        for (const orphan of state.takes ? orphans : []) {
          orphan.segments = 0;
        }
      },
    }),
    log: log as never,
  };
  return { orphans: new OrphanJournals(settings), state, log };
}

test("opens nothing while the store is away, and saves within a second of its return", async () => {
  const { orphans, state, log } = world([{ segments: 2 }]);
  orphans.start();
  await vi.advanceTimersByTimeAsync(60_500);
  expect(state).toMatchObject({ asked: 61, opened: 0 });
  state.isThere = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state).toMatchObject({ opened: 1, closed: 1 });
  expect(log.info).toHaveBeenLastCalledWith(
    { folder: "journal-1", spans: 7 },
    "spans of a collector which is gone are saved",
  );
  expect(log.error).not.toHaveBeenCalled();
  // Later checks happen every ten seconds.
  const { asked } = state;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(state.asked).toBe(asked + 1);
  await orphans.stop(AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(0);
});

test("opens what the store did not take again after one second, then two, up to ten", async () => {
  const { orphans, state } = world([{ segments: 2 }]);
  Object.assign(state, { isThere: true, takes: false });
  orphans.start();
  const openedAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return state.opened;
  };
  expect([await openedAfter(0), await openedAfter(1_000), await openedAfter(2_000)]).toEqual([1, 2, 3]);
  expect([await openedAfter(4_000), await openedAfter(8_000), await openedAfter(10_000)]).toEqual([4, 5, 6]);
  state.takes = true;
  expect([await openedAfter(10_000), await openedAfter(60_000)]).toEqual([7, 7]);
  expect(state.closed).toBe(7);
  await orphans.stop(AbortSignal.abort());
});

test("looks no more when it is stopped during a look", async () => {
  const { orphans, state } = world([{ segments: 2 }]);
  state.isThere = true;
  orphans.start();
  await orphans.stop(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state).toMatchObject({ opened: 1, closed: 1 });
});
