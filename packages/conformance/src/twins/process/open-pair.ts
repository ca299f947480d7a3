import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestAuthority, freeAddresses } from "lifecycle/testing";
import { AdminServerProcess } from "../../admin-api/comparison/admin-server-process.ts";
import { type MarkedPort, markedPorts } from "../site-marks.ts";
import { SeenRequests } from "../upstream/seen-requests.ts";
import { AccessLog } from "./access-log.ts";
import { LocalTwin } from "./local-twin.ts";
import { openUpstreams } from "./open-upstreams.ts";
import { makeSiteFiles } from "./site-files.ts";

/** Both servers, each with its own upstreams. */
export interface TwinPair {
  readonly theirs: LocalTwin;
  readonly ours: LocalTwin;
  /** Lines of our server's log that report a failed thread or an internal error of a request. */
  readonly alarms: string[];
  /** True when both processes run. */
  readonly isAlive: boolean;
  setPatience(factor: number): void;
  close(): Promise<void>;
}

/** Loopback addresses of equal length, so that texts with an address have the same size on both sides. */
const addresses = { theirs: "127.0.1.1", ours: "127.0.1.2" } as const;
const alarming =
  /uncaught|unhandled|worker \d+ (died|ended)|panic|out of memory|TypeError|RangeError|ReferenceError/i;

export interface PairOptions {
  /** Path of the public model's program. */
  readonly peer: string;
  /** Path of our program; by default the sources are run. */
  readonly ours?: string;
}

/** Starts both servers. @throws Error when a server does not answer */
export async function openPair(options: PairOptions): Promise<TwinPair> {
  const folder = await mkdtemp(join(tmpdir(), "twins-"));
  const root = join(folder, "site");
  await makeSiteFiles(root);
  const free = await freeAddresses(markedPorts.length);
  const ports = Object.fromEntries(
    markedPorts.map((mark, index) => [mark, Number(free[index]?.split(":")[1])]),
  ) as Record<MarkedPort, number>;
  const certificate = createTestAuthority("twins").issue("localhost", ...Object.values(addresses));
  const alarms: string[] = [];
  const closers: (() => Promise<void>)[] = [];
  const open = async (side: keyof typeof addresses) => {
    const marks = {
      address: addresses[side],
      ports,
      root,
      log: join(folder, side === "ours" ? "a" : "b", "access.log"),
    };
    await mkdir(join(folder, side === "ours" ? "a" : "b"));
    const seen = new SeenRequests();
    const closeUpstreams = await openUpstreams(marks, seen, certificate);
    const start = () =>
      AdminServerProcess.start(side === "theirs" ? options.peer : undefined, {
        ...(side === "ours" && options.ours !== undefined ? { script: options.ours } : {}),
        onLog: (text) => {
          if (side === "ours" && alarming.test(text)) {
            alarms.push(text);
          }
        },
      });
    const twin = await LocalTwin.open(
      side === "theirs",
      start,
      marks,
      seen,
      new AccessLog(marks.log),
      closeUpstreams,
    );
    closers.push(() => twin.close());
    return twin;
  };
  const close = async () => {
    await Promise.all(closers.map((end) => end()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [theirs, ours] = [await open("theirs"), await open("ours")];
    return {
      theirs,
      ours,
      alarms,
      get isAlive() {
        return theirs.isAlive && ours.isAlive;
      },
      setPatience(factor) {
        theirs.patience = factor;
        ours.patience = factor;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
