import { totalmem } from "node:os";

/**
 * Share of the process's memory for the journal. The rest is for the process itself, running requests, and blocks on
 * their way to the store.
 */
const journalPart = 0.5;

/**
 * The limit of a journal in memory: at most half of the process's memory, even when the option is larger. Above that
 * the system would kill the process, and all waiting spans would be lost.
 * @param processBytes memory of the machine, or of the container when that is less
 */
export function memoryJournalBytes(askedBytes: number, processBytes: number = memoryOfProcess()): number {
  return Math.min(askedBytes, Math.floor(processBytes * journalPart));
}

function memoryOfProcess(): number {
  const [total, constrained] = [totalmem(), process.constrainedMemory()];
  // Without a limit some systems report 0, and some a number larger than any memory.
  return constrained > 0 ? Math.min(total, constrained) : total;
}
