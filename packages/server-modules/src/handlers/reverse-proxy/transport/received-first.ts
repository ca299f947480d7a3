import type { Socket } from "node:net";

/**
 * Number of consecutive checks without new data after which the data counts as complete: the first check may precede
 * the socket's next read.
 */
const vainLooks = 2;
/**
 * Milliseconds between checks while bytes wait for the reader. After each check in which the reader read nothing, the
 * pause doubles, up to the limit.
 */
const pausedMs = { first: 10, longest: 160 } as const;
/**
 * Maximum number of consecutive checks without progress; they take about five minutes. After them, unread data is
 * dropped.
 */
const mostPausedLooks = 2_000;

/** Callback of a write. */
type Done = (error?: Error | null) => void;

/** Sockets with a failed write that still have bytes to read. */
const withFailedWrite = new WeakSet<Socket>();

/**
 * @returns true when a write to a socket of {@link handOnReceivedFirst} has failed: the socket accepts no more data,
 * and ends soon
 */
export function hasFailedWrite(socket: Socket): boolean {
  return withFailedWrite.has(socket);
}

/**
 * Makes a socket deliver all received data before an error ends it. An upstream may answer and close before it has read
 * the whole body. Then the next write fails, and Node would discard the unread answer. Writes after the failed write
 * wait.
 * @param mostLooks limit of consecutive checks in which the reader read nothing; then the socket is closed with the
 * error
 */
export function handOnReceivedFirst(socket: Socket, mostLooks = mostPausedLooks): void {
  const { _write: write, _writev: writev } = socket;
  const held = (done: Done): Done => {
    return (error) => {
      if (error && isOf("write", error) && !socket.destroyed) {
        withFailedWrite.add(socket);
        onceAllIsRead(socket, mostLooks, () => done(error));
      } else {
        done(error);
      }
    };
  };
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, held(done));
  if (writev !== undefined) {
    socket._writev = (chunks, done) => writev.call(socket, chunks, held(done));
  }
  const end = (error?: Error) => {
    Reflect.deleteProperty(socket, "destroy");
    return socket.destroy(error);
  };
  socket.destroy = (error) => {
    if (error !== undefined && isOf("read", error) && socket.readableLength > 0) {
      onceAllIsRead(socket, mostLooks, () => void end(error));
      return socket;
    }
    return end(error);
  };
}

/**
 * Calls back when no more data arrives, when the reader made no progress for a long time, or when the socket is
 * destroyed.
 */
function onceAllIsRead(socket: Socket, mostLooks: number, callback: () => void): void {
  let emptyLooks = 0;
  let pausedLooks = 0;
  let delayMs: number = pausedMs.first;
  const look = (read: number, taken: number) => {
    const again = () => {
      const isTaken = takenFrom(socket) !== taken;
      pausedLooks = isTaken || !isWaiting(socket) ? 0 : pausedLooks + 1;
      delayMs = isTaken ? pausedMs.first : Math.min(delayMs * 2, pausedMs.longest);
      emptyLooks = socket.bytesRead !== read || isWaiting(socket) ? 0 : emptyLooks + 1;
      if (socket.destroyed || emptyLooks === vainLooks || pausedLooks >= mostLooks) {
        callback();
      } else {
        look(socket.bytesRead, takenFrom(socket));
      }
    };
    if (isWaiting(socket)) {
      setTimeout(again, delayMs);
    } else {
      setImmediate(again);
    }
  };
  look(socket.bytesRead, takenFrom(socket));
}

/** Number of bytes that the reader has taken. */
function takenFrom(socket: Socket): number {
  return socket.bytesRead - socket.readableLength;
}

/** True while received bytes wait for the reader. */
function isWaiting(socket: Socket): boolean {
  return socket.isPaused() || socket.readableLength > 0;
}

/** True when the error comes from this system call. */
function isOf(syscall: "read" | "write", error: Error): boolean {
  return (error as { syscall?: string }).syscall === syscall;
}
