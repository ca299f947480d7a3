import { open, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { StartError } from "lifecycle";

/** Longest path that every system takes for a socket (macOS: 104 bytes with the final zero). */
const maxSocketPathBytes = 103;

/** A held folder. */
export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes a folder for this process alone, until it ends, however it ends: a socket in the folder on which only a living
 * process answers. That holds across containers that share the folder on one machine, which process ids do not.
 * @throws StartError when another process holds the folder
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const address = await socketAddress(folder);
  try {
    let server = await listen(address.path);
    if (server === undefined) {
      if (await answers(address.path)) {
        throw new StartError(
          `the journal: the folder ${folder} is in use by another collector: stop that one, ` +
            "or choose another folder with --collector.journal.dir",
        );
      }
      await unlink(address.path);
      server = await listen(address.path);
    }
    if (server === undefined) {
      throw new StartError(`the journal: another collector takes the folder ${folder} at this very moment`);
    }
    const held = server;
    return {
      // Closing a server removes its socket file.
      release: async () => {
        await new Promise<void>((resolve) => held.close(() => resolve()));
        await address.close();
      },
    };
  } catch (error) {
    await address.close();
    throw error;
  }
}

/** Socket paths are short by nature: a long one is reached through the open folder, where the system can do that. */
async function socketAddress(folder: string): Promise<{ path: string; close(): Promise<void> }> {
  const path = join(folder, "lock");
  if (Buffer.byteLength(path) <= maxSocketPathBytes || process.platform !== "linux") {
    return { path, close: async () => {} };
  }
  const handle = await open(folder, "r");
  return { path: `/proc/self/fd/${handle.fd}/lock`, close: () => handle.close() };
}

/** @returns undefined when the socket file is already there */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
