import { once } from "node:events";
import type { Writable } from "node:stream";

/**
 * Writes a text, and waits while the reader of a pipe is slow. After the reader closed the pipe, the function writes
 * nothing and does not throw.
 */
export async function write(output: Writable, text: string): Promise<void> {
  await writeBytes(output, text);
}

/** Like `write`, for bytes too. The stream keeps the bytes, so the caller must not change them afterwards. */
export async function writeBytes(output: Writable, bytes: string | Uint8Array): Promise<void> {
  if (output.destroyed || output.writableEnded) {
    return;
  }
  if (!output.write(bytes)) {
    const gone = new AbortController();
    const leave = () => gone.abort();
    output.once("close", leave);
    output.once("error", leave);
    try {
      await once(output, "drain", { signal: gone.signal });
    } catch {
      // The reader closed the pipe, which `isClosed` reports.
    } finally {
      output.off("close", leave);
      output.off("error", leave);
    }
  }
}

/** True when the reader has closed the pipe, as `head` does: the command then stops. */
export function isClosed(output: Writable): boolean {
  return output.destroyed || output.errored !== null;
}

/** Writes each value as JSON on one line, which `jq` and `split` read piece by piece. */
export async function writeJsonLines(output: Writable, values: Iterable<unknown>): Promise<void> {
  for (const value of values) {
    await write(output, `${JSON.stringify(value)}\n`);
  }
}
