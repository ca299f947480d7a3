import { randomBytes } from "node:crypto";
import { open, readdir, rename, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "lifecycle/errors";

/** The longest socket path that every system accepts (macOS: 104 bytes with the final zero). */
const maxSocketPathBytes = 103;
/** Name of a lock socket; earlier versions used the name `lock`. */
const lockName = /^lock(-[0-9a-f]{12})?$/;
const lockNameBytes = "lock-0123456789ab".length;
/** Maximum number of attempts of two processes that start together and yield to each other. */
const maxTries = 20;
/**
 * Milliseconds until the other process must answer. A process that does not answer in time is suspended or very busy,
 * but alive.
 */
const answerMs = 1_000;

/** Answer of a living process on its socket. */
const held = "h";
const looking = "l";

/** Thrown when another living process has locked the folder. */
export class FolderInUseError extends StartError {}

export interface FolderLock {
  /** Allows other processes to open the folder. */
  release(): Promise<void>;
}

/**
 * Locks a folder for this process until the process ends, even by a crash. The lock is a socket in the folder, on which
 * only a living process answers. This also works between containers on one machine, which have separate process ids.
 *
 * When two processes start together, at most one gets the folder. Each first publishes a socket that answers, and then
 * looks for the sockets of other processes. The process that looks last finds the other socket and yields for a moment.
 * A socket gets its visible name only when it answers, so a socket without an answer is dead and may be removed.
 * @throws FolderInUseError when another process holds the folder
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const place = await socketPlace(folder);
  try {
    for (let left = maxTries; left > 0; left--) {
      const own = await Announcement.make(place.path);
      const other = await own.lookForOthers().catch(async (error: unknown) => {
        await own.withdraw();
        throw error;
      });
      if (other === undefined) {
        return {
          release: async () => {
            await own.withdraw();
            await place.close();
          },
        };
      }
      await own.withdraw();
      if (other === held) {
        throw new FolderInUseError(
          `the journal: the folder ${folder} is in use by another collector: stop that one, ` +
            "or choose another folder with --collector.journal.dir",
        );
      }
      await sleep(Math.random() * 50);
    }
    throw new FolderInUseError(
      `the journal: another collector takes the folder ${folder} at this very moment`,
    );
  } catch (error) {
    await place.close();
    throw error;
  }
}

/** This process's socket, which other processes can see. */
class Announcement {
  readonly #folder: string;
  readonly #name: string;
  readonly #server: Server;
  #state: typeof held | typeof looking = looking;

  private constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.#server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end(this.#state);
    });
  }

  static async make(folder: string): Promise<Announcement> {
    const id = randomBytes(6).toString("hex");
    const own = new Announcement(folder, `lock-${id}`);
    const hidden = join(folder, `.lck-${id}`);
    await new Promise<void>((resolve, reject) => {
      own.#server.once("error", reject);
      own.#server.listen(hidden, () => {
        own.#server.unref();
        resolve();
      });
    });
    await rename(hidden, join(folder, own.#name)).catch(async (error: unknown) => {
      await own.withdraw();
      throw error;
    });
    return own;
  }

  /** @returns the answer of another living process. Undefined: there is none, so this process has the lock */
  async lookForOthers(): Promise<string | undefined> {
    let found: string | undefined;
    for (const name of await readdir(this.#folder)) {
      if (!lockName.test(name) || name === this.#name) {
        continue;
      }
      const path = join(this.#folder, name);
      const answer = await ask(path);
      if (answer === held) {
        return held;
      }
      if (answer === undefined) {
        await unlinkIfThere(path);
      } else {
        found = answer;
      }
    }
    if (found === undefined) {
      this.#state = held;
    }
    return found;
  }

  async withdraw(): Promise<void> {
    // The name is removed first, so that other processes do not find a socket that is about to close.
    await unlinkIfThere(join(this.#folder, this.#name));
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/**
 * @returns the answer of the process behind a socket, or `held` when it connects but does not answer; undefined when no
 * process listens
 */
function ask(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = "";
    let isConnected = false;
    const socket = connect(path, () => {
      isConnected = true;
    });
    const settle = (value: string | undefined) => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(answerMs, () => settle(held));
    socket.on("data", (bytes) => {
      answer += bytes.toString();
    });
    socket.on("error", () => settle(isConnected ? answer || held : undefined));
    socket.on("close", () => settle(answer || held));
  });
}

async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") {
      throw error;
    }
  });
}

/** Socket paths must be short. For a long path, the folder's file descriptor is used, on systems that support it. */
async function socketPlace(folder: string): Promise<{ path: string; close(): Promise<void> }> {
  const longestBytes = Buffer.byteLength(join(folder, "x")) - 1 + lockNameBytes;
  if (longestBytes <= maxSocketPathBytes || process.platform !== "linux") {
    return { path: folder, close: async () => {} };
  }
  const handle = await open(folder, "r");
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
}
