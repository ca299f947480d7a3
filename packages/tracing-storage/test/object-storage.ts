import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freeAddresses } from "lifecycle/testing";

const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");

/** A server of S3's API of `packages/conformance/peers`: the Versity S3 Gateway, which checks signatures, or gofakes3. */
export const objectProgram = ["versitygw", "gofakes3"].find((name) => existsSync(join(peers, name)));

/** A real object storage with the bucket `spans`. It keeps its objects while it is away. */
export interface ObjectStorage {
  /** Address of a folder in the bucket. */
  readonly endpoint: string;
  /** Options of the process for this bucket. */
  readonly flags: readonly string[];
  /** Number of objects in the bucket. */
  count(): Promise<number>;
  /** Nobody listens until `back`. */
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

const key = "object-storage-key";

function programArguments(folder: string, address: string): string[] {
  return objectProgram === "versitygw"
    ? [...["--access", key, "--secret", key, "--port", address, "--quiet"], "posix", "--nometa", folder]
    : ["-host", address, "-backend", "fs", "-fs.path", folder, "-fs.create", "-initialbucket", "spans"];
}

export async function startObjectStorage(): Promise<ObjectStorage> {
  const folder = await mkdtemp(join(tmpdir(), "objects-"));
  const [address = ""] = await freeAddresses(1);
  const bucket = `http://${address}/spans`;
  let child: ChildProcess;
  // The Versity S3 Gateway makes a bucket of each folder.
  await mkdir(join(folder, "spans"));
  const start = async () => {
    child = spawn(join(peers, objectProgram ?? ""), programArguments(folder, address), { stdio: "ignore" });
    process.once("exit", () => child.kill("SIGKILL"));
    const answers = () => fetch(bucket).then((answer) => answer.arrayBuffer());
    while ((await answers().catch(() => undefined)) === undefined) {
      await setTimeout(50);
    }
  };
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const count = async (): Promise<number> => {
    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile() && /[/\\]cold[/\\]/.test(join(entry.parentPath, entry.name)))
      .length;
  };
  await start();
  return {
    endpoint: `${bucket}/cold/`,
    flags: [
      `--storage.cold.endpoint=${bucket}/cold/`,
      `--storage.cold.access-key-id=${key}`,
      `--storage.cold.secret-access-key=${key}`,
      "--storage.cold.region=us-east-1",
    ],
    count,
    away: stop,
    back: start,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
