import { totalmem } from "node:os";

/** What is not spans that wait: the process itself, requests under way, blocks on their way to storage. */
const journalPart = 0.5;

/**
 * How large a journal in memory may be: half of what the process may have, however much was asked for. Past that the
 * system would end the process, and with it all that waits.
 * @param processBytes the memory of this machine or, where it is less, of the container
 */
export function memoryJournalBytes(askedBytes: number, processBytes: number = memoryOfProcess()): number {
  return Math.min(askedBytes, Math.floor(processBytes * journalPart));
}

function memoryOfProcess(): number {
  const [total, constrained] = [totalmem(), process.constrainedMemory()];
  // Without a limit some systems say 0, some a number beyond all memory.
  return constrained > 0 ? Math.min(total, constrained) : total;
}
