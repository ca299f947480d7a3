import { MemoryJournal } from "./memory-journal.ts";
import { spanJournalContract } from "./span-journal.contract.ts";

spanJournalContract("MemoryJournal", async (limits, log) => new MemoryJournal(limits, log));
