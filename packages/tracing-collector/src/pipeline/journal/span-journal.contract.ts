// The contract of every journal. The test of each journal calls this with a function that opens one.

import { createLogger } from "lifecycle";
import { afterEach, describe, expect, test } from "vitest";
import type { JournalLimits, SegmentLimits, SpanJournal } from "./span-journal.ts";

export type OpenJournal = (
  limits: SegmentLimits & JournalLimits,
  log: ReturnType<typeof createLogger>,
) => Promise<SpanJournal>;

function rows(text: string, count = 1) {
  return { bytes: Buffer.from(text), count };
}

async function readNext(journal: SpanJournal): Promise<string | undefined> {
  const segment = await journal.take();
  return segment && Buffer.from((await segment.read(Buffer.alloc(segment.bytes))).bytes).toString();
}

export function spanJournalContract(name: string, openJournal: OpenJournal): void {
  describe(`${name}, as every journal`, () => {
    let opened: SpanJournal | undefined;
    let lines: Record<string, unknown>[] = [];

    async function open(limits: Partial<SegmentLimits & JournalLimits> = {}): Promise<SpanJournal> {
      lines = [];
      const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
      const keep = (fields: object, message?: string) => void lines.push({ ...fields, message });
      Object.assign(log, { warn: keep, info: keep });
      opened = await openJournal(
        {
          maxBytes: 1_000_000,
          segmentRows: 1_000_000,
          segmentBytes: 1_000_000,
          segmentAgeMs: 1_000_000,
          busySegmentRows: 1_000_000,
          ...limits,
        },
        log,
      );
      return opened;
    }

    afterEach(async () => {
      await opened?.close();
      opened = undefined;
    });

    test("hands out what was appended, in order, under tokens of their own, once", async () => {
      const journal = await open({ segmentRows: 2 });
      for (const text of ["a", "b", "c", "d"]) {
        await journal.append(rows(text));
      }
      expect(journal.segments).toBe(2);
      const [one, two] = [await journal.take(), await journal.take()];
      const texts = [one, two].map(async (segment) => {
        if (segment === undefined) {
          throw new Error("no segment");
        }
        expect(segment.rows).toBe(2);
        return Buffer.from((await segment.read(Buffer.alloc(segment.bytes))).bytes).toString();
      });
      expect(await Promise.all(texts)).toEqual(["ab", "cd"]);
      expect(one?.token).not.toBe(two?.token);
      expect(Math.abs(Date.now() - (one?.createdUnixMs ?? 0))).toBeLessThan(60_000);
      await journal.finish();
      expect(await journal.take()).toBeUndefined();
    });

    test("gives the same rows at every reading", async () => {
      const journal = await open({ segmentRows: 1 });
      await journal.append(rows("again"));
      const segment = await journal.take();
      for (let round = 0; round < 2; round++) {
        const read = await segment?.read(Buffer.alloc(segment.bytes));
        expect(Buffer.from(read?.bytes ?? []).toString()).toBe("again");
        expect(read?.count).toBe(1);
      }
    });

    test("copies the bytes before append returns", async () => {
      const journal = await open();
      const bytes = Buffer.from("good");
      const kept = journal.append({ bytes, count: 1 });
      bytes.fill("x");
      await kept;
      await journal.finish();
      expect(await readNext(journal)).toBe("good");
    });

    test("seals by bytes, and by age for one who waits", async () => {
      const journal = await open({ segmentBytes: 10, segmentAgeMs: 1 });
      await journal.append(rows("more than ten bytes"));
      expect(await readNext(journal)).toBe("more than ten bytes");
      // The limit applies to the size of rows with full prefixes.
      await journal.append({ ...rows("short"), plainBytes: 10 });
      expect(await readNext(journal)).toBe("short");
      const next = readNext(journal);
      await journal.append(rows("old"));
      expect(await next).toBe("old");
    });

    test("lets old segments grow while nobody waits", async () => {
      const journal = await open({ segmentAgeMs: 0 });
      for (const text of ["a", "b", "c"]) {
        await journal.append(rows(text));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(await readNext(journal)).toBe("abc");
    });

    test("counts what it holds, and nothing when all is removed", async () => {
      const journal = await open({ segmentRows: 1 });
      await journal.append(rows("x".repeat(500)));
      expect(journal.bytes).toBeGreaterThanOrEqual(500);
      expect(journal.segments).toBe(1);
      const segment = await journal.take();
      if (segment !== undefined) {
        await journal.remove(segment);
      }
      expect(journal.bytes).toBe(0);
      expect(journal.segments).toBe(0);
    });

    test("full of bytes it refuses, says so once, and once that it has room again", async () => {
      const journal = await open({ maxBytes: 1_000 });
      await journal.append(rows("x".repeat(900), 3));
      for (let again = 0; again < 3; again++) {
        await expect(journal.append(rows("y".repeat(150), 5))).rejects.toMatchObject({
          code: "COLLECTOR_JOURNAL_FULL",
          message: expect.stringMatching(
            /^journal of 9\d\d bytes has no room for 150 more: the limit is 1000$/,
          ),
        });
      }
      expect(lines.map(({ message }) => message)).toEqual([
        "the journal is full: senders are asked to come again",
      ]);
      await journal.append(rows("z"));
      const finishing = journal.finish();
      const segment = await journal.take();
      if (segment !== undefined) {
        await journal.remove(segment);
      }
      await finishing;
      expect(lines.slice(1)).toEqual([
        { message: "the journal has room again", refusedSpans: 15, journalBytes: 0, spans: 0 },
      ]);
    });

    test("full of spans it refuses", async () => {
      const journal = await open({ maxRows: 10, segmentRows: 8 });
      await journal.append(rows("x", 8));
      await expect(journal.append(rows("y", 3))).rejects.toMatchObject({
        code: "COLLECTOR_JOURNAL_FULL",
        message: "journal of 8 spans has no room for 3 more: the limit is 10",
      });
      await journal.append(rows("y", 2));
      const segment = await journal.take();
      if (segment !== undefined) {
        await journal.remove(segment);
      }
      await journal.append(rows("z", 8));
    });

    test.each([
      ["bytes", rows("x".repeat(1_001)), "1001 bytes of rows never fit a journal of 1000 bytes"],
      ["spans", rows("x", 11), "11 spans never fit a journal of 10 spans"],
    ])("a batch of too many %s for an empty journal is told so", async (_, batch, message) => {
      const journal = await open({ maxBytes: 1_000, maxRows: 10 });
      await expect(journal.append(batch)).rejects.toMatchObject({
        code: "COLLECTOR_TOO_LARGE",
        message: expect.stringContaining(message),
      });
      expect(lines).toEqual([]);
      await journal.append(rows("small"));
    });

    test("a quarantined segment holds nobody up", async () => {
      const journal = await open({ segmentRows: 1 });
      await journal.append(rows("bad"));
      await journal.append(rows("good"));
      const segment = await journal.take();
      const place = segment && (await journal.quarantine(segment));
      expect(typeof place).toBe(journal.isDurable ? "string" : "undefined");
      expect(journal.segments).toBe(1);
      expect(await readNext(journal)).toBe("good");
    });

    test("after finish it refuses, and hands out the last segment", async () => {
      const journal = await open();
      const waiting = [readNext(journal), readNext(journal)];
      await journal.append(rows("last"));
      await journal.finish();
      expect(await Promise.all(waiting)).toEqual(["last", undefined]);
      await expect(journal.append(rows("late"))).rejects.toMatchObject({ code: "COLLECTOR_STOPPING" });
    });

    test("an empty batch is nothing", async () => {
      const journal = await open();
      await journal.append(rows("", 0));
      expect(journal.segments).toBe(0);
    });
  });
}
