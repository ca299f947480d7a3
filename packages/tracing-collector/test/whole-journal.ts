import type { Journal } from "../src/pipeline/journal/journal.ts";
import { openJournalFolder } from "../src/pipeline/journal/open-journal-folder.ts";
import { quietLog } from "./receiver-fixture.ts";

/** A journal in a folder that may have segments already; those of its own grow until somebody takes them. */
export function openWholeJournal(folder: string): Promise<Journal> {
  const limits = {
    maxBytes: 1e7,
    segmentRows: 1e6,
    segmentBytes: 1e7,
    segmentAgeMs: 1,
    busySegmentRows: 1e6,
  };
  return openJournalFolder({ ...limits, folder, sync: "always" }, { committed() {} }, quietLog);
}
