import type { Socket } from "node:net";

/** Looks in a row that find nothing new, before nothing more comes: the first look may precede the socket's next read. */
const vainLooks = 2;
/** Milliseconds between looks while the reader takes nothing. */
const pausedMs = 10;

type Done = (error?: Error | null) => void;

const withFailedWrite = new WeakSet<Socket>();

/** @returns whether a write to a socket of {@link handOnReceivedFirst} has failed: it takes no more, and ends soon */
export function hasFailedWrite(socket: Socket): boolean {
  return withFailedWrite.has(socket);
}

/**
 * Makes a socket hand on all that it received before an error ends it. An upstream may answer and close before it has all of
 * a body. The next write fails then, and Node would drop the answer that was not read yet. Writes after the failed one wait.
 */
export function handOnReceivedFirst(socket: Socket): void {
  const { _write: write, _writev: writev } = socket;
  const held = (done: Done): Done => {
    return (error) => {
      if (error && isOf("write", error) && !socket.destroyed) {
        withFailedWrite.add(socket);
        onceAllIsRead(socket, () => done(error));
      } else {
        done(error);
      }
    };
  };
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, held(done));
  if (writev !== undefined) {
    socket._writev = (chunks, done) => writev.call(socket, chunks, held(done));
  }
  socket.destroy = (error) => {
    if (error !== undefined && isOf("read", error) && socket.readableLength > 0) {
      onceAllIsRead(socket, () => socket.destroy(error));
      return socket;
    }
    Reflect.deleteProperty(socket, "destroy");
    return socket.destroy(error);
  };
}

/** Calls back once nothing more comes of a socket, or it is destroyed. */
function onceAllIsRead(socket: Socket, callback: () => void): void {
  let looks = 0;
  const look = (before: number) => {
    const again = () => {
      looks = socket.bytesRead !== before || isWaiting(socket) ? 0 : looks + 1;
      if (socket.destroyed || looks === vainLooks) {
        callback();
      } else {
        look(socket.bytesRead);
      }
    };
    if (isWaiting(socket)) {
      setTimeout(again, pausedMs);
    } else {
      setImmediate(again);
    }
  };
  look(socket.bytesRead);
}

/** True while bytes that came wait for the reader. */
function isWaiting(socket: Socket): boolean {
  return socket.isPaused() || socket.readableLength > 0;
}

function isOf(syscall: "read" | "write", error: Error): boolean {
  return (error as { syscall?: string }).syscall === syscall;
}
