import type { Connection } from "./connection.ts";

/**
 * Waits until a message is complete, and removes it from the connection. Bytes behind the message stay on the
 * connection for the next handler. A handler calls this once for each message of a protocol that takes turns,
 * such as SOCKS.
 * @param read parses the message and its length in bytes; undefined while it is incomplete
 * @param deadlineAt time on the clock of `performance.now()`
 * @throws the error of `read`, and when the message is incomplete at the deadline, at the end, or at the limit of bytes
 */
export async function takeMessage<T>(
  connection: Connection,
  read: (bytes: Buffer) => { readonly value: T; readonly length: number } | undefined,
  deadlineAt: number,
): Promise<T> {
  for (;;) {
    const message = read(connection.bytes);
    if (message !== undefined) {
      connection.skip(message.length);
      return message.value;
    }
    const peeked = await connection.peek(deadlineAt);
    if (peeked !== "more") {
      throw new Error(
        peeked === "late" ? "the client took too long" : "the connection ended within a message",
      );
    }
  }
}
