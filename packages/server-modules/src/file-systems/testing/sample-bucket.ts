import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { escaped } from "certificates/tls/aws/sign-request";
import { freeAddresses } from "lifecycle/testing";

const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");

/** A server of S3's API; undefined where nobody has built one. */
export const bucketProgram = ["gofakes3"].find((name) => existsSync(join(peers, name)));

/** Requests that fill the bucket at the same time. */
const atOnce = 20;

/** A real server of S3's API with one bucket, for tests. Requests that fill it need no signature. */
export class SampleBucket {
  /** URL of the service. */
  readonly endpoint: string;
  readonly #bucket: string;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(endpoint: string, bucket: string, folder: string, child: ChildProcess) {
    this.endpoint = endpoint;
    this.#bucket = bucket;
    this.#folder = folder;
    this.#child = child;
  }

  static async start(bucket: string): Promise<SampleBucket> {
    const folder = await mkdtemp(join(tmpdir(), "bucket-"));
    await mkdir(join(folder, bucket));
    const [address = ""] = await freeAddresses(1);
    const child = spawn(
      join(peers, bucketProgram ?? ""),
      ["-host", address, "-backend", "memory", "-initialbucket", bucket],
      { stdio: "ignore" },
    );
    process.once("exit", () => child.kill("SIGKILL"));
    const endpoint = `http://${address}`;
    const answers = () => fetch(`${endpoint}/${bucket}`).then((answer) => answer.arrayBuffer());
    while ((await answers().catch(() => undefined)) === undefined) {
      await setTimeout(50);
    }
    return new SampleBucket(endpoint, bucket, folder, child);
  }

  #urlOf(key: string): string {
    return `${this.endpoint}/${this.#bucket}/${key.split("/").map(escaped).join("/")}`;
  }

  /** Writes objects by their keys. @param headers fields that are stored with each of them */
  async put(
    objects: Readonly<Record<string, string | Buffer>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const left = Object.entries(objects);
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const [key, body] = next;
        const answer = await fetch(this.#urlOf(key), {
          method: "PUT",
          headers,
          body: new Uint8Array(Buffer.from(body)),
        });
        await answer.arrayBuffer();
        if (!answer.ok) {
          throw new Error(`the bucket answered ${answer.status} for ${key}`);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  async remove(key: string): Promise<void> {
    await (await fetch(this.#urlOf(key), { method: "DELETE" })).arrayBuffer();
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
