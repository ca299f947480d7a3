import type { ChildProcess } from "node:child_process";
import { z } from "zod";

/** Message about one site from a run to its supervisor. */
export const siteMessage = z.strictObject({ site: z.number(), isDone: z.boolean() });
export type SiteMessage = z.infer<typeof siteMessage>;

export interface SupervisedRun {
  /** Starts the run in a new process group; the run resumes where the previous one ended. */
  start(): ChildProcess;
  /** Called with a site in which a second run died, so that later runs skip it. */
  onLost(site: number): void;
  onDeath?(signal: string): void;
}

/** The supervisor gives up after this many successive runs that die before they complete a site. */
const mostFruitless = 3;
const diesTwice = 2;

/**
 * Starts the run again when it dies from a signal: HTTP/2 sessions of Node check their own memory, and abort the
 * process when they find an error.
 * @returns the exit code of the run that ends normally; 1 when runs make no progress
 */
export async function superviseRun({ start, onLost, onDeath }: SupervisedRun): Promise<number> {
  const deaths = new Map<number, number>();
  let fruitless = 0;
  for (;;) {
    const running = new Set<number>();
    let isFruitless = true;
    const child = start();
    child.on("message", (message) => {
      const { site, isDone } = siteMessage.parse(message);
      if (isDone) {
        running.delete(site);
      } else {
        running.add(site);
      }
      isFruitless &&= !isDone;
    });
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.once("exit", (...ended) => resolve(ended));
      child.once("error", () => resolve([1, null]));
    });
    if (signal === null) {
      return code ?? 1;
    }
    onDeath?.(signal);
    endGroup(child);
    for (const site of running) {
      const count = (deaths.get(site) ?? 0) + 1;
      deaths.set(site, count);
      if (count === diesTwice) {
        onLost(site);
        isFruitless = false;
      }
    }
    fruitless = isFruitless ? fruitless + 1 : 0;
    if (fruitless === mostFruitless || signal === "SIGINT" || signal === "SIGTERM") {
      return 1;
    }
  }
}

/** Kills the servers that a dead run has left behind. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, "SIGKILL");
    }
  } catch {
    // The process group has already ended.
  }
}
