import { randomUUID } from "node:crypto";
import { constants, renameSync } from "node:fs";
import {
  chmod,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import { ServerError } from "server-core/errors";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import { pathBytes } from "../../files/path-bytes.ts";
import { joinSitePath } from "../../files/site-path.ts";
import { DavError } from "./dav-error.ts";
import { Leftovers } from "./leftovers.ts";
import type { Resource } from "./share.ts";

/** Maximum number of files and folders that one copy may create; a larger copy is refused. */
const maxCopies = 100_000;

/**
 * A path in the same folder, which clients cannot see. @param ending `part` for a file that may be removed after a
 * crash
 */
function besides(path: string, ending: "part" | "tmp"): string {
  return joinSitePath(posix.dirname(path), `.webdav-${randomUUID()}.${ending}`);
}

/** Removes temporary files that killed processes left behind. */
const leftovers = new Leftovers();

/** The error of a body that was cut off. */
function clientGone(cause?: unknown): ServerError {
  return new ServerError("CLIENT_GONE", "the client closed the connection", { cause });
}

/**
 * Removes the remains of a failed change. A failure of the removal is ignored, because the first error is the error to
 * report.
 */
async function removeQuietly(path: string): Promise<void> {
  await rm(pathBytes(path), { recursive: true, force: true }).catch(() => {});
}

/** Writes the body of a request to a file. */
async function writeBody(exchange: Exchange, file: FileHandle): Promise<void> {
  let source: AsyncIterable<Buffer> | readonly Buffer[] = [];
  if (exchange.hasBody) {
    const whole = exchange.wholeBody;
    source = whole === undefined ? (exchange.body as AsyncIterable<Buffer>) : [whole];
  }
  try {
    for await (const chunk of source) {
      for (let done = 0; done < chunk.length; ) {
        done += (await file.write(chunk, done)).bytesWritten;
      }
    }
  } catch (error) {
    const isOurs = error instanceof ServerError || (error as NodeJS.ErrnoException).syscall === "write";
    throw isOurs ? error : clientGone(error);
  }
}

/**
 * Writes the body of a request to a file. The old file stays until the whole body has arrived.
 * @param commit called with a function that replaces the old file
 */
export async function writeFileFromBody(
  exchange: Exchange,
  { file, stats }: Resource,
  commit: (replace: () => void) => void,
): Promise<void> {
  await leftovers.removeFrom(posix.dirname(file));
  const temporary = besides(file, "part");
  const handle = await open(pathBytes(temporary), "wx", 0o666);
  try {
    try {
      await writeBody(exchange, handle);
      if (stats !== undefined) {
        await handle.chmod(Number(stats.mode & 0o7777n));
      }
    } finally {
      await handle.close();
    }
    commit(() => renameSync(pathBytes(temporary), pathBytes(file)));
  } catch (error) {
    await removeQuietly(temporary);
    throw error;
  }
}

/** Creates an empty file. @throws the error of the file system: EEXIST */
export async function makeEmptyFile({ entry }: Resource): Promise<void> {
  await (await open(pathBytes(entry), "wx", 0o666)).close();
}

/** Removes a file, or a folder with its content. A folder that cannot be removed completely is restored. */
export async function removeAll({ entry, stats }: Resource): Promise<void> {
  if (stats?.isDirectory() !== true) {
    await rm(pathBytes(entry));
    return;
  }
  await leftovers.removeFrom(posix.dirname(entry));
  const temporary = besides(entry, "part");
  await rename(pathBytes(entry), pathBytes(temporary));
  try {
    await rm(pathBytes(temporary), { recursive: true });
  } catch (error) {
    await rename(pathBytes(temporary), pathBytes(entry));
    throw error;
  }
}

/** Copies one file, link or empty folder. @returns true for a folder */
async function copyOne(from: string, to: string): Promise<boolean> {
  const stats = await lstat(pathBytes(from));
  if (stats.isDirectory()) {
    await mkdir(pathBytes(to));
    await chmod(pathBytes(to), (stats.mode & 0o777) | 0o700);
    return true;
  }
  if (stats.isSymbolicLink()) {
    // The link is copied, not its target; later requests check that the link does not lead out of the root.
    await symlink(await readlink(pathBytes(from), { encoding: "buffer" }), pathBytes(to));
  } else if (stats.isFile()) {
    await copyFile(pathBytes(from), pathBytes(to), constants.COPYFILE_FICLONE);
  } else {
    throw new DavError(403, "it has something in it that is neither file nor folder");
  }
  return false;
}

/** Copies a tree. @throws DavError 403 over the limit; ServerError CLIENT_GONE */
async function copyTree(exchange: Exchange, from: string, to: string, isDeep: boolean): Promise<void> {
  const waiting: [string, string][] = [[from, to]];
  let count = 0;
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    count++;
    if (count > maxCopies) {
      throw new DavError(403, `it has more files than the limit of ${maxCopies} for one copy`);
    }
    if (exchange.ended) {
      throw clientGone();
    }
    const [source, target] = pair;
    if (!(await copyOne(source, target)) || !isDeep) {
      continue;
    }
    for await (const entry of await opendir(pathBytes(source), { encoding: "buffer" as BufferEncoding })) {
      const name = textOfBuffer(entry.name as unknown as Buffer);
      waiting.push([joinSitePath(source, name), joinSitePath(target, name)]);
    }
  }
}

/** Replaces the target by a file or folder. If that fails, the old target is restored. */
async function replace(temporary: string, target: Resource): Promise<void> {
  const isPlain = target.stats === undefined || !target.stats.isDirectory();
  const isFolder = (await lstat(pathBytes(temporary))).isDirectory();
  if (target.stats === undefined || (isPlain && !isFolder)) {
    await rename(pathBytes(temporary), pathBytes(target.entry));
    return;
  }
  const old = besides(target.entry, "tmp");
  await rename(pathBytes(target.entry), pathBytes(old));
  try {
    await rename(pathBytes(temporary), pathBytes(target.entry));
  } catch (error) {
    await rename(pathBytes(old), pathBytes(target.entry));
    throw error;
  }
  await removeQuietly(old);
}

/**
 * Copies a file or folder over a target. The target stays unchanged until the copy is complete.
 * @param isDeep true when the content of the folder is copied too
 */
export async function copyTo(
  exchange: Exchange,
  source: Resource,
  target: Resource,
  isDeep: boolean,
): Promise<void> {
  await leftovers.removeFrom(posix.dirname(target.entry));
  const temporary = besides(target.entry, "part");
  try {
    await copyTree(exchange, source.file, temporary, isDeep);
    await replace(temporary, target);
  } catch (error) {
    await removeQuietly(temporary);
    throw error;
  }
}

/** Moves a file or folder over a target. */
export async function moveTo(exchange: Exchange, source: Resource, target: Resource): Promise<void> {
  try {
    await replace(source.entry, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") {
      throw error;
    }
    // The rename failed because a different disk is mounted below the root.
    await copyTo(exchange, { ...source, file: source.entry }, target, true);
    await removeAll(source);
  }
}
