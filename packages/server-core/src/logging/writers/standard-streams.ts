import { write } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import { LineQueue, lostLine } from "../line-queue.ts";
import type { LogWriter } from "../log-modules.ts";

const writeTo = promisify(write);

/** Writes whole lines to a descriptor. When a pipe is full, the write is tried again after a pause. */
async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      const { bytesWritten } = await writeTo(fd, bytes, at, bytes.length - at, null);
      at += bytesWritten;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

const queues = new Map<number, LineQueue>();

/**
 * Returns the queue that all writers of a stream share. A thread has one queue for each stream, which all configs use,
 * so lines stay whole and in order.
 */
function queueOf(fd: number): LineQueue {
  let queue = queues.get(fd);
  if (queue === undefined) {
    queue = new LineQueue({ send: (bytes) => writeAll(fd, bytes), lostLine });
    queues.set(fd, queue);
  }
  return queue;
}

function makeStreamWriter(fd: number, isTerminal: boolean): LogWriter {
  const queue = queueOf(fd);
  return { isTerminal, write: (line) => queue.push(line), close: () => queue.drained() };
}

export function makeStderrWriter(): LogWriter {
  return makeStreamWriter(2, process.stderr.isTTY === true);
}

export const stdoutWriter = defineModule({
  id: "logging.writers.stdout",
  config: z.strictObject({}),
  provision: (): LogWriter => makeStreamWriter(1, process.stdout.isTTY === true),
});

export const stderrWriter = defineModule({
  id: "logging.writers.stderr",
  config: z.strictObject({}),
  provision: makeStderrWriter,
});
