import { open, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";
import { writeAtomically } from "./atomic-write.ts";
import { lockFile } from "./file-lock.ts";

function isAbsent(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** @throws Error for a larger file; `#attempt` converts it to a ServerError STORAGE */
async function readAtMost(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) {
      throw new Error(`it has more than ${maxBytes} bytes`);
    }
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Stores values as files below a folder. Only the owner of the files can read them. */
export class FileSystemStorage implements Storage {
  readonly #root: string;

  /** @param root path of the folder, which is created when the first value is stored */
  constructor(root: string) {
    this.#root = resolve(root);
  }

  store(key: string, value: Uint8Array | string): Promise<void> {
    return this.#attempt("storing", key, () => writeAtomically(this.#path(key), value));
  }

  load(key: string, maxBytes?: number): Promise<Buffer | undefined> {
    return this.#attempt("loading", key, async () => {
      try {
        return await (maxBytes === undefined
          ? readFile(this.#path(key))
          : readAtMost(this.#path(key), maxBytes));
      } catch (error) {
        if (isAbsent(error)) {
          return undefined;
        }
        throw error;
      }
    });
  }

  delete(key: string): Promise<void> {
    return this.#attempt("deleting", key, () => rm(this.#path(key), { recursive: true, force: true }));
  }

  list(prefix: string): Promise<string[]> {
    return this.#attempt("listing", prefix, async () => {
      try {
        const entries = await readdir(this.#path(prefix), { recursive: true, withFileTypes: true });
        return entries
          .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
          .map((entry) => join(entry.parentPath, entry.name).slice(this.#root.length + 1))
          .sort();
      } catch (error) {
        if (isAbsent(error)) {
          return [];
        }
        throw error;
      }
    });
  }

  lock(name: string, signal?: AbortSignal): Promise<() => Promise<void>> {
    const key = `locks/${name.replaceAll("/", "_")}.lock`;
    return this.#attempt("locking", name, () => lockFile(this.#path(key), signal));
  }

  #path(key: string): string {
    if (key.split("/").some((segment) => segment === "." || segment === "..") || key.includes("\0")) {
      throw new ServerError("STORAGE", `storage key ${JSON.stringify(key)} leads out of the storage`);
    }
    return join(this.#root, key);
  }

  async #attempt<Value>(doing: string, key: string, attempt: () => Promise<Value>): Promise<Value> {
    try {
      return await attempt();
    } catch (error) {
      throw error instanceof ServerError
        ? error
        : new ServerError("STORAGE", `${doing} ${key} below ${this.#root}: ${messageOf(error)}`, {
            cause: error,
          });
    }
  }
}

export const fileSystemStorage = defineModule({
  id: "storage.file_system",
  config: z.strictObject({
    root: z
      .string()
      .nullish()
      .describe(
        "Folder; several instances may share it ($XDG_DATA_HOME/server, else ~/.local/share/server).",
      ),
  }),
  provision(config, context): Storage {
    return new FileSystemStorage(config.root || context.dataFolder);
  },
});
