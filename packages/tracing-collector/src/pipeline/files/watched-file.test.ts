import { createMetrics, StartError } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { recordedLog } from "../../../test/recorded-log.ts";
import { ReloadMetrics } from "./reload-metrics.ts";
import { readAtStart, WatchedFile } from "./watched-file.ts";

/** A file with one number. `now` is the present text; undefined: the file is missing. */
function watchedNumber(first: string) {
  const degraded: (string | undefined)[] = [];
  const health = { degrade: (_: string, reason: string | undefined) => void degraded.push(reason) };
  const log = recordedLog();
  const registry = createMetrics("test");
  const file = { now: first as string | undefined, used: [Number(first)], reads: 0 };
  const watched = new WatchedFile(
    first,
    {
      ...{ contents: "numbers", topic: "numbers" },
      async read() {
        file.reads++;
        if (file.now === undefined) {
          throw new Error("is missing");
        }
        return file.now;
      },
      keyOf: (text) => text,
      use(text) {
        if (Number.isNaN(Number(text))) {
          throw new Error(`${text} is no number`);
        }
        file.used.push(Number(text));
      },
      metrics: new ReloadMetrics(
        { reloads: "reloads_total", upToDate: "up_to_date", contents: "numbers" },
        registry,
      ),
    },
    { log, health },
  );
  const counts = async () =>
    (await registry.metrics()).split("\n").filter((line) => /^(reloads_total|up_to_date)/.test(line));
  return { file, watched, degraded, log, counts };
}

describe("a look", () => {
  test("uses a changed file, and passes over an unchanged one", async () => {
    const { file, watched, degraded, counts } = watchedNumber("1");
    await watched.look();
    expect(file.used).toEqual([1]);
    expect(await counts()).toEqual(["up_to_date 1"]);
    file.now = "2";
    await watched.look();
    await watched.look();
    expect(file.used).toEqual([1, 2]);
    expect(degraded).toEqual([undefined, undefined, undefined]);
    expect(await counts()).toEqual(['reloads_total{result="used"} 1', "up_to_date 1"]);
  });

  test("says a mistake once, and another mistake too", async () => {
    const { file, watched, degraded, log, counts } = watchedNumber("1");
    file.now = "one";
    await watched.look();
    await watched.look();
    file.now = undefined;
    await watched.look();
    const messages = ["numbers stay as they were: one is no number", "numbers stay as they were: is missing"];
    expect(log.messages("error")).toEqual(messages);
    expect(degraded).toEqual(messages);
    expect(file.used).toEqual([1]);
    expect(await counts()).toEqual(['reloads_total{result="refused"} 2', "up_to_date 0"]);
  });

  test("of a mended file ends the fault; the same mistake is then said again", async () => {
    const { file, watched, degraded, log, counts } = watchedNumber("1");
    for (const text of ["one", "1", "one"]) {
      file.now = text;
      await watched.look();
    }
    expect(degraded.map((reason) => reason !== undefined)).toEqual([true, false, true]);
    expect(log.messages("error")).toHaveLength(2);
    expect(file.used).toEqual([1]);
    expect(await counts()).toEqual(['reloads_total{result="refused"} 2', "up_to_date 0"]);
  });
});

describe("at intervals", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("the file is looked at until the end", async () => {
    const { file, watched } = watchedNumber("1");
    watched.start(100);
    await vi.advanceTimersByTimeAsync(250);
    expect(file.reads).toBe(2);
    await watched.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(file.reads).toBe(2);
  });

  test("an interval of 0 never looks", async () => {
    const { file, watched } = watchedNumber("1");
    watched.start(0);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(file.reads).toBe(0);
    await watched.close();
  });
});

class NumberError extends Error {}

test("a mistake of the first read ends the start, and names the option", async () => {
  const reading = readAtStart("collector.numbers.file", NumberError, () =>
    Promise.reject(new NumberError("no 1")),
  );
  await expect(reading).rejects.toThrow(new StartError("option --collector.numbers.file: no 1"));
  await expect(reading).rejects.toBeInstanceOf(StartError);
});

test("another error of the first read passes as it is", async () => {
  const error = new TypeError("a fault of the program");
  await expect(readAtStart("file", NumberError, () => Promise.reject(error))).rejects.toBe(error);
  await expect(readAtStart("file", NumberError, async () => 7)).resolves.toBe(7);
});
