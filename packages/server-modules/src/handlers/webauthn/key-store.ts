import { createHash } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "certificates/tls/storage/atomic-write";
import { messageOf, ServerError } from "server-core/errors";
import { readRegularFile } from "server-core/files/read-regular-file";
import { z } from "zod";
import { mostKeys } from "./webauthn-config.ts";

/** Maximum number of bytes of a key's file. A key with a name has some 400 bytes, an RSA key some 1,000. */
const maxKeyBytes = 16 * 1024;
/** Maximum number of files in a user's folder: keys, and files of writers that died. More files are an error. */
const maxFiles = mostKeys * 4;
const fileName = /^([\w-]{43})\.(\d{1,10})\.json$/;

const keySchema = z.strictObject({
  user: z.string(),
  id: z.string().max(2_048),
  public_key: z.string(),
  transports: z.array(z.string().max(32)).max(16),
  name: z.string(),
  created: z.string(),
});

/** A registered key. */
export interface StoredKey {
  /** Id that the authenticator chose, in base64url. */
  readonly id: string;
  /** Public key as COSE bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Number of uses that the authenticator counted; 0 for keys that do not count, such as synchronized keys. */
  readonly counter: number;
  /** How browsers reach the key: `usb`, `internal`, … */
  readonly transports: readonly string[];
  /** Name that the user chose. */
  readonly name: string;
  /** When it was registered, as ISO 8601. */
  readonly created: string;
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url");

/**
 * Stores keys of users as files: a folder for each user, a file for each key. The file name contains the counter. A
 * login renames the file, which is atomic: of two logins with the same counter one fails, even in different threads or
 * processes. After a crash, the name has the old or the new counter.
 */
export class KeyStore {
  readonly #folder: string;

  /** @param folder folder of one domain; created with the first key */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Keys of a user, oldest first.
   * @throws ServerError STORAGE for a file that cannot be read: a damaged key must not look like a missing key
   */
  async keysOf(user: string): Promise<StoredKey[]> {
    const folder = this.#folderOf(user);
    const keys: StoredKey[] = [];
    for (const name of await namesIn(folder)) {
      const [, , counter = ""] = fileName.exec(name) ?? [];
      if (counter !== "") {
        const key = await readKey(join(folder, name), Number(counter));
        keys.push(...(key === undefined ? [] : [key]));
      }
    }
    return keys.sort((one, other) => one.created.localeCompare(other.created));
  }

  /** Adds a key. A file with the same id and counter is replaced. @throws errors of the file system */
  async add(user: string, { id, publicKey, counter, ...rest }: StoredKey): Promise<void> {
    const text = JSON.stringify({
      user,
      id,
      public_key: Buffer.from(publicKey).toString("base64url"),
      ...rest,
    });
    await writeAtomically(this.#pathOf(user, id, counter), `${text}\n`);
  }

  /** Writes the counter of a use. @returns false when the key was used or removed since it was read */
  async use(user: string, { id, counter }: StoredKey, newCounter: number): Promise<boolean> {
    try {
      await rename(this.#pathOf(user, id, counter), this.#pathOf(user, id, newCounter));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return false;
      }
      throw new ServerError("STORAGE", `webauthn: a counter cannot be written: ${messageOf(error)}`);
    }
  }

  /** Removes a key; a missing key is not an error. */
  async remove(user: string, id: string): Promise<void> {
    const folder = this.#folderOf(user);
    const start = `${hashOf(id)}.`;
    for (const name of await namesIn(folder)) {
      if (name.startsWith(start)) {
        await rm(join(folder, name), { force: true });
      }
    }
  }

  #folderOf(user: string): string {
    return join(this.#folder, hashOf(user));
  }

  #pathOf(user: string, id: string, counter: number): string {
    return join(this.#folderOf(user), `${hashOf(id)}.${counter}.json`);
  }
}

/** Names in a folder; none when it is missing. @throws ServerError STORAGE */
async function namesIn(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw new ServerError("STORAGE", `webauthn: ${folder}: ${messageOf(error)}`);
  }
  if (names.length > maxFiles) {
    throw new ServerError(
      "STORAGE",
      `webauthn: ${folder}: ${names.length} files are over the limit of ${maxFiles}`,
    );
  }
  return names;
}

/** @returns undefined for a file that was renamed or removed meanwhile. @throws ServerError STORAGE */
async function readKey(path: string, counter: number): Promise<StoredKey | undefined> {
  try {
    const {
      public_key: publicKey,
      user: _,
      ...rest
    } = keySchema.parse(JSON.parse((await readRegularFile(path, maxKeyBytes)).toString()));
    return { ...rest, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    const isContent = error instanceof SyntaxError || error instanceof z.ZodError;
    throw new ServerError("STORAGE", `webauthn: ${path}: ${isContent ? "not a key" : messageOf(error)}`);
  }
}
