import { StorageError, type WriteOptions } from "storage/api";
import { describe, expect, test } from "vitest";
import type { SpanRows } from "wire/rows";
import { SpanGroups, type SpanGroupsSettings } from "./span-groups.ts";

/** Rows of one byte each. A store that checks rows can recognize the letters. */
function rows(letters: string): SpanRows {
  return { bytes: Buffer.from(letters), count: letters.length };
}

interface Write {
  readonly letters: string;
  readonly options: WriteOptions;
  readonly answer: PromiseWithResolvers<void>;
}

/** A store whose answers the test gives. */
class ManualWriter {
  readonly writes: Write[] = [];
  #wake = () => {};

  async writeSpans({ bytes, count }: SpanRows, options: WriteOptions): Promise<void> {
    const letters = Buffer.from(bytes).toString();
    expect(count).toBe(letters.length);
    const answer = Promise.withResolvers<void>();
    options.signal?.addEventListener("abort", () => answer.reject(new StorageError("STORAGE_ABORTED", "")));
    this.writes.push({ letters, options, answer });
    this.#wake();
    await answer.promise;
  }

  async write(index: number): Promise<Write> {
    for (;;) {
      const write = this.writes[index];
      if (write !== undefined) {
        return write;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function groupsWith(settings: Partial<SpanGroupsSettings> = {}) {
  const writer = new ManualWriter();
  const groups = new SpanGroups({
    writer,
    maxDelayMs: 60_000,
    maxPendingBytes: 1_000,
    writeTimeoutMs: 60_000,
    ...settings,
  });
  return { writer, groups };
}

const outcome = (work: Promise<void>) =>
  work.then(
    () => "stored",
    (error: StorageError) => error.code,
  );

describe("SpanGroups", () => {
  test("writes spans that come within the delay as one block, and answers when it is stored", async () => {
    let spans = 0;
    const { writer, groups } = groupsWith({ maxDelayMs: 5, written: (count) => (spans += count) });
    const answers: string[] = [];
    const adds = ["a", "b", "cd"].map((letters) =>
      groups.add(rows(letters)).then(() => answers.push(letters)),
    );
    const { letters, answer } = await writer.write(0);
    expect(letters).toBe("abcd");
    expect(answers).toEqual([]);
    expect(groups.pendingBytes).toBe(4);
    answer.resolve();
    await Promise.all(adds);
    expect(answers).toEqual(["a", "b", "cd"]);
    expect(spans).toBe(4);
    await groups.stop(AbortSignal.timeout(1_000));
    expect(groups.pendingBytes).toBe(0);
  });

  test("copies rows at once", async () => {
    const { writer, groups } = groupsWith({ maxGroupSpans: 2 });
    const reused = Buffer.from("x");
    const first = groups.add({ bytes: reused, count: 1 });
    reused.write("y");
    const second = groups.add({ bytes: reused, count: 1 });
    const { letters, answer } = await writer.write(0);
    expect(letters).toBe("xy");
    answer.resolve();
    await Promise.all([first, second]);
  });

  test("does not wait when a group is large, and writes some at a time", async () => {
    const { writer, groups } = groupsWith({ maxGroupBytes: 2, maxWrites: 2 });
    const adds = ["aa", "bb", "cc"].map((letters) => groups.add(rows(letters)));
    await writer.write(1);
    expect(writer.writes.map(({ letters }) => letters)).toEqual(["aa", "bb"]);
    writer.writes[0]?.answer.resolve();
    const third = await writer.write(2);
    expect(third.letters).toBe("cc");
    for (const { answer } of writer.writes) {
      answer.resolve();
    }
    await Promise.all(adds);
  });

  test("lets a group grow while another is written", async () => {
    const { writer, groups } = groupsWith({ maxDelayMs: 0 });
    const first = groups.add(rows("a"));
    const { answer } = await writer.write(0);
    const others = [groups.add(rows("b"))];
    // When a later timer has fired, the group's time has passed.
    await new Promise((resolve) => setTimeout(resolve, 5));
    others.push(groups.add(rows("c")));
    expect(writer.writes).toHaveLength(1);
    answer.resolve();
    const second = await writer.write(1);
    expect(second.letters).toBe("bc");
    second.answer.resolve();
    await Promise.all([first, ...others]);
  });

  test("tries a block again under its token and time of arrival while the store is away", async () => {
    const { writer, groups } = groupsWith({ maxGroupSpans: 1 });
    const added = groups.add(rows("a"));
    const first = await writer.write(0);
    first.answer.reject(new StorageError("STORAGE_UNAVAILABLE", "away"));
    const second = await writer.write(1);
    second.answer.reject(new StorageError("STORAGE_TIMEOUT", "slow"));
    const third = await writer.write(2);
    for (const { options } of [second, third]) {
      expect(options.deduplicationToken).toBe(first.options.deduplicationToken);
      expect(options.receivedUnixMs).toBe(first.options.receivedUnixMs);
    }
    third.answer.resolve();
    await added;
  });

  test("tells the sender when the store stays away", async () => {
    const { writer, groups } = groupsWith({ maxGroupSpans: 1, writeTimeoutMs: 0 });
    const added = outcome(groups.add(rows("a")));
    (await writer.write(0)).answer.reject(new StorageError("STORAGE_UNAVAILABLE", "away"));
    expect(await added).toBe("STORAGE_UNAVAILABLE");
    expect(writer.writes).toHaveLength(1);
  });

  test("refuses only who is to blame when the store refuses a block", async () => {
    const stored: string[] = [];
    const { groups } = groupsWith({
      maxGroupSpans: 5,
      writer: {
        async writeSpans({ bytes }) {
          const letters = Buffer.from(bytes).toString();
          if (letters.includes("!")) {
            throw new StorageError("STORAGE_REFUSED", "bad rows");
          }
          stored.push(letters);
        },
      },
    });
    const outcomes = await Promise.all([..."ab!cd"].map((letter) => outcome(groups.add(rows(letter)))));
    expect(outcomes).toEqual(["stored", "stored", "STORAGE_REFUSED", "stored", "stored"]);
    expect(stored.join("").split("").sort().join("")).toBe("abcd");
  });

  test("refuses more than may wait, and tells when there is room again", async () => {
    const { writer, groups } = groupsWith({ maxGroupBytes: 1, maxPendingBytes: 3 });
    const added = groups.add(rows("abc"));
    expect(groups.hasRoom).toBe(false);
    await expect(groups.add(rows("d"))).rejects.toMatchObject({
      code: "WRITE_BUSY",
      message: "spans that wait to be written take 3 bytes, over the limit of 3",
    });
    const room = groups.room();
    (await writer.write(0)).answer.resolve();
    await Promise.all([room, added]);
    expect(groups.hasRoom).toBe(true);
  });

  test("writes what waits when it is stopped, and takes nothing more", async () => {
    const { writer, groups } = groupsWith();
    const added = groups.add(rows("a"));
    const stopped = groups.stop(new AbortController().signal);
    await expect(groups.add(rows("b"))).rejects.toMatchObject({ code: "WRITE_STOPPING" });
    (await writer.write(0)).answer.resolve();
    await Promise.all([added, stopped]);
  });

  test("gives up a write when the stop has to end", async () => {
    const { writer, groups } = groupsWith();
    const added = outcome(groups.add(rows("a")));
    const end = new AbortController();
    const stopped = groups.stop(end.signal);
    await writer.write(0);
    end.abort();
    await stopped;
    expect(await added).toBe("STORAGE_ABORTED");
  });
});
