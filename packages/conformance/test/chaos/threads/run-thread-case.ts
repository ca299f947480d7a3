import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../src/expect.ts";
import { randomOf } from "../../faults/seeded-random.ts";
import { Scratch } from "../scratch.ts";
import { heldKinds, WrongAnswer } from "./held-connections.ts";
import { LineConnection } from "./line-connection.ts";
import type { ThreadCase } from "./thread-cases.ts";
import { ThreadSite, threadCount } from "./thread-site.ts";

/** The result of one case. */
export interface ThreadRow {
  readonly case: string;
  /** Number of threads that died. */
  readonly deaths: number;
  /** Number of complete steps of all connections: answers, messages, events. */
  readonly steps: number;
  /** Long-lived connections that ended with their thread, which is unavoidable. */
  readonly endedWithThread: number;
  /** Connections that ended although their thread lives. */
  readonly lost: number;
  /** New connections that no thread accepted. */
  readonly refused: number;
  /** New connections that a dying thread had not answered yet. */
  readonly cutEarly: number;
  readonly reloads: number;
  /** Longest time in milliseconds without a listening thread; used when all threads die together. */
  readonly longestHoleMs: number;
  readonly isOk: boolean;
  readonly problems: readonly string[];
}

/** Number of connections of each kind, so that each of three threads has some. */
const perKind = 6;
const patienceMs = 120_000;
const shortDeaths = 3;

interface Ended {
  readonly kind: string;
  readonly thread: string;
  readonly error: Error;
}

/** Runs one case. Never throws: errors become problems of the row. */
export async function runThreadCase(
  threadCase: ThreadCase,
  { seed, isShort }: { readonly seed: number; readonly isShort: boolean },
): Promise<ThreadRow> {
  const scratch = new Scratch();
  const problems: string[] = [];
  const random = randomOf(seed);
  const killed = new Set<string>();
  const ended: Ended[] = [];
  const holes: number[] = [];
  let [steps, refused, reloads, acknowledged] = [0, 0, 0, 0];
  let deaths = 0;
  let site: ThreadSite | undefined;
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const running = await ThreadSite.start(scratch, threadCase.upstreamMs ?? 0);
    site = running;

    /** Uses one connection of a kind, and opens a new one when it ends. */
    const hold = async (kind: string) => {
      while (!signal.aborted) {
        let thread = "";
        try {
          await heldKinds[kind]?.(running.port, {
            signal,
            version: () => acknowledged,
            onThread: (number) => {
              thread = number;
            },
            onStep: () => {
              steps++;
            },
          });
        } catch (error) {
          if (signal.aborted && !(error instanceof WrongAnswer)) {
            return;
          }
          if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
            refused++;
          } else {
            ended.push({ kind, thread, error: error as Error });
          }
          await sleep(20);
        }
      }
    };
    const reload = async () => {
      while (threadCase.reloads === true && !signal.aborted) {
        try {
          await running.load(acknowledged + 1);
          acknowledged++;
          reloads++;
        } catch (error) {
          if (!signal.aborted) {
            problems.push((error as Error).message);
          }
        }
        await sleep(random(200));
      }
    };
    const users = [
      ...Object.keys(heldKinds).flatMap((kind) => Array.from({ length: perKind }, () => hold(kind))),
      reload(),
    ];

    const rounds = isShort ? shortDeaths : threadCase.deaths;
    for (let round = 0; round < rounds; round++) {
      await sleep(random(400));
      const many = threadCase.isTogether === true ? threadCount * 4 : 1;
      const ends = await Promise.all(Array.from({ length: many }, () => running.endThread()));
      for (const thread of ends) {
        if (thread !== undefined) {
          killed.add(thread);
        }
      }
      if (threadCase.isTogether === true) {
        holes.push(await untilAnswered(running.port));
      }
      // The next thread dies only when all threads serve, so that there is always another thread.
      await eventually(async () => {
        if (running.successors < running.deaths || running.deaths < killed.size) {
          throw new Error(`${running.successors} successors of ${running.deaths} dead threads serve`);
        }
      }, patienceMs);
    }
    // Every kind of connection must continue.
    const before = steps;
    await eventually(async () => {
      if (steps < before + 100) {
        throw new Error("connections do not go on");
      }
    }, patienceMs);
    deaths = running.deaths;
    if (!running.isRunning) {
      problems.push("the server ended");
    }
    stop.abort();
    await Promise.all(users);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    stop.abort();
    await site?.close();
    scratch.close();
  }
  // When a death was not reported, any thread may be the one that died.
  const withThread = ended.filter(
    ({ thread, error }) => killed.has(thread) && !(error instanceof WrongAnswer),
  );
  const early = ended.filter(({ thread, error }) => thread === "" && !(error instanceof WrongAnswer));
  const lost = ended.filter((each) => !withThread.includes(each) && !early.includes(each));
  problems.push(...lost.map(({ kind, thread, error }) => `${kind} of thread ${thread}: ${error.message}`));
  if (deaths !== killed.size) {
    problems.push(`${deaths} threads died, ${killed.size} were killed`);
  }
  if (refused > 0) {
    problems.push(`${refused} connections were refused`);
  }
  if (steps === 0) {
    problems.push("no connection did anything");
  }
  return {
    case: threadCase.name,
    ...{
      deaths,
      steps,
      endedWithThread: withThread.length,
      lost: lost.length,
      refused,
      cutEarly: early.length,
      reloads,
    },
    longestHoleMs: Math.round(Math.max(0, ...holes)),
    isOk: problems.length === 0,
    problems,
  };
}

/** @returns milliseconds until a new connection gets an answer */
async function untilAnswered(port: number): Promise<number> {
  const begin = performance.now();
  await eventually(async () => {
    const lines = await LineConnection.open(port);
    try {
      await lines.ask("/version");
    } finally {
      lines.close();
    }
  }, patienceMs);
  return performance.now() - begin;
}
