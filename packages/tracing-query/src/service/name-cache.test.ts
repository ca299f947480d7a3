import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { NameCache } from "./name-cache.ts";

let nowMs: number;
/** The names in the store. */
let names: string[];
let asked: number;

beforeEach(() => {
  [nowMs, names, asked] = [10_000, ["shop"], 0];
});

const kept = (maxItems?: number, maxAgeMs = 1_000) =>
  new NameCache<string>({ maxAgeMs, now: () => nowMs, ...(maxItems === undefined ? {} : { maxItems }) });

const ask = async () => {
  asked++;
  return [...names];
};

/** A request that the test answers, and the signal that was passed to the request. */
function slowQuestion() {
  const answer = Promise.withResolvers<string[]>();
  const seen: { signal?: AbortSignal | undefined } = {};
  const put = (signal: AbortSignal | undefined) => {
    asked++;
    seen.signal = signal;
    signal?.addEventListener("abort", () => answer.reject(new Error("given up")));
    return answer.promise;
  };
  return { ...answer, seen, put };
}

test("is asked again when the answer is too old, and then what is new is seen", async () => {
  const lists = kept();
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
  names.push("stock");
  nowMs += 500;
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
  expect(asked).toBe(1);
  nowMs += 501;
  expect(await lists.get("a", undefined, ask)).toEqual(["shop", "stock"]);
  expect(asked).toBe(2);
});

test("fetches the next answer while somebody asks, before the last one is too old", async () => {
  const lists = kept();
  await lists.get("a", undefined, ask);
  names.push("stock");
  nowMs += 600;
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
  await setImmediate();
  expect(asked).toBe(2);
  nowMs += 900;
  // The age of the answer is counted from the request.
  expect(await lists.get("a", undefined, ask)).toEqual(["shop", "stock"]);
});

test("what was fetched beforehand in vain is asked for by the next one who needs it", async () => {
  const lists = kept();
  await lists.get("a", undefined, ask);
  nowMs += 600;
  await lists.get("a", undefined, () => Promise.reject(new Error("away")));
  await setImmediate();
  nowMs += 600;
  await expect(lists.get("a", undefined, () => Promise.reject(new Error("still away")))).rejects.toThrow(
    "still away",
  );
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
});

test("those who ask at a time share one question, those on behalf of others do not", async () => {
  const lists = kept();
  const found = await Promise.all([
    lists.get("a", undefined, ask),
    lists.get("a", new AbortController().signal, ask),
    lists.get("b", undefined, async () => ["other"]),
  ]);
  expect(found).toEqual([["shop"], ["shop"], ["other"]]);
  expect(asked).toBe(1);
});

test("a question that takes longer than answers are kept is not joined", async () => {
  const lists = kept();
  const slow = slowQuestion();
  const first = lists.get("a", undefined, slow.put);
  nowMs += 1_001;
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
  slow.resolve(["outdated"]);
  expect(await first).toEqual(["outdated"]);
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
});

test("a question goes on while one waits for it, and is given up with the last", async () => {
  const lists = kept();
  const slow = slowQuestion();
  const [one, other] = [new AbortController(), new AbortController()];
  const answers = [one, other].map(({ signal }) => lists.get("a", signal, slow.put));
  one.abort();
  await expect(answers[0]).rejects.toMatchObject({ code: "STORAGE_ABORTED" });
  expect(slow.seen.signal?.aborted).toBe(false);
  other.abort();
  await expect(answers[1]).rejects.toMatchObject({ code: "STORAGE_ABORTED" });
  expect(slow.seen.signal?.aborted).toBe(true);
  // The next caller does not get the result of the aborted request.
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
  await expect(lists.get("c", AbortSignal.abort(), slowQuestion().put)).rejects.toMatchObject({
    code: "STORAGE_ABORTED",
  });
});

test("errors are not kept", async () => {
  const lists = kept();
  await expect(lists.get("a", undefined, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await lists.get("a", undefined, ask)).toEqual(["shop"]);
});

test("keeps so many items: the oldest give way, and what is longer is not kept", async () => {
  const lists = kept(6);
  for (const key of ["a", "b", "c", "d"]) {
    await lists.get(key, undefined, ask);
    nowMs++;
  }
  expect(asked).toBe(4);
  await lists.get("d", undefined, ask);
  await lists.get("b", undefined, ask);
  expect(asked).toBe(4);
  await lists.get("a", undefined, ask);
  expect(asked).toBe(5);
  names = ["1", "2", "3", "4", "5", "6"];
  await lists.get("long", undefined, ask);
  await lists.get("long", undefined, ask);
  expect(asked).toBe(7);
});

test("an age of 0 always asks, with the signal of the one who does", async () => {
  const lists = kept(undefined, 0);
  const { signal } = new AbortController();
  const signals: unknown[] = [];
  const put = async (given: AbortSignal | undefined) => {
    signals.push(given);
    return names;
  };
  await lists.get("a", signal, put);
  await lists.get("a", undefined, put);
  expect(signals).toEqual([signal, undefined]);
});
