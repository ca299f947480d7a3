import { StorageError } from "storage/api";
import { openMemoryStore } from "storage/memory";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { recordedLog } from "../../../test/recorded-log.ts";
import { LeaderElection } from "./leader-election.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const { sampling } = openMemoryStore();

function participant(owner: string, store: ConstructorParameters<typeof LeaderElection>[0]["store"]) {
  const log = recordedLog();
  const election = new LeaderElection({
    ...{ store, owner, log, leaderRefreshMs: 5_000, followerRefreshMs: 60_000 },
  });
  onTestFinished(() => election.close(AbortSignal.timeout(1)));
  return { election, log };
}

const signal = new AbortController().signal;

test("one leads; when it goes, another does, at its next try", async () => {
  const store = openMemoryStore().sampling;
  const one = participant("one", store);
  const two = participant("two", store);
  const leaders = () => [one.election.isLeader, two.election.isLeader];
  expect(leaders()).toEqual([false, false]);
  one.election.start();
  await vi.advanceTimersByTimeAsync(0);
  two.election.start();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(leaders()).toEqual([true, false]);
  await one.election.close(signal);
  expect(leaders()).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(leaders()).toEqual([false, true]);
  expect(one.log.messages()).toEqual(["adaptive sampling: this collector leads"]);
  expect(two.log.messages()).toEqual(["adaptive sampling: this collector leads"]);
});

test("a leader that was killed is followed by another when its lease has ended", async () => {
  const store = openMemoryStore().sampling;
  await store.acquireLease("sampling_store_leader", "killed", 60_000);
  const { election } = participant("next", store);
  election.start();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(election.isLeader).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(election.isLeader).toBe(true);
});

test("a leader stops to lead when it cannot renew its lease in time, and leads again when it can", async () => {
  let isAway = false;
  const store = {
    ...{ releaseLease: sampling.releaseLease.bind(sampling) },
    async acquireLease() {
      if (isAway) {
        throw new StorageError("STORAGE_UNAVAILABLE", "nobody answers");
      }
      return true;
    },
  };
  const { election, log } = participant("one", store);
  election.start();
  await vi.advanceTimersByTimeAsync(0);
  isAway = true;
  await vi.advanceTimersByTimeAsync(59_999);
  expect(election.isLeader).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(election.isLeader).toBe(false);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(log.messages("info").at(-1)).toBe("adaptive sampling: another leads");
  expect(log.messages("warn")[0]).toBe("adaptive sampling: the lease cannot be asked for: nobody answers");
  isAway = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(election.isLeader).toBe(true);
});

test("close gives up a question under way, and asks no more", async () => {
  let asked = 0;
  const store = {
    ...{ releaseLease: sampling.releaseLease.bind(sampling) },
    acquireLease: (
      _name: string,
      _owner: string,
      _ttlMs: number,
      { signal: abort }: { signal?: AbortSignal } = {},
    ) =>
      new Promise<boolean>((_, reject) => {
        asked++;
        abort?.addEventListener("abort", () => reject(new StorageError("STORAGE_ABORTED", "given up")));
      }),
  };
  const { election, log } = participant("one", store);
  election.start();
  await vi.advanceTimersByTimeAsync(0);
  await election.close(signal);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
  expect(log.messages()).toEqual([]);
});
