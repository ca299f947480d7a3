import { expect, test } from "vitest";
import { StorageError } from "../../../api/storage-error.ts";
import { type Attempt, type AttemptRace, firstAnswer, type HedgeOfCall } from "./first-answer.ts";

/**
 * Behaviour of a test server. `answers`: answers. `breaks`: answers, then breaks off. `cannot`: fails, another server
 * may be tried. `stops` and `refuses`: fail, no other server may be tried. `waits`: waits until the caller disconnects.
 */
type Server = "answers" | "breaks" | "cannot" | "stops" | "refuses" | "waits";

const goOn = { breaks: "next", cannot: "next", stops: "stop", refuses: "throw" } as const;

async function ask(server: Server, race: AttemptRace): Promise<Attempt<Server>> {
  if (server === "waits") {
    await new Promise((resolve) => race.abort.addEventListener("abort", resolve));
    return { kind: "lost" };
  }
  if ((server === "answers" || server === "breaks") && !race.claim()) {
    return { kind: "lost" };
  }
  if (server === "answers") {
    return { kind: "done", value: server };
  }
  return { kind: "failed", failure: new StorageError("STORAGE_UNAVAILABLE", server), goOn: goOn[server] };
}

async function outcome(servers: readonly Server[], hedge?: HedgeOfCall): Promise<string> {
  const failures: StorageError[] = [];
  const found = await firstAnswer(servers, ask, failures, hedge).catch((error: Error) => error.message);
  const failed = failures.map(({ message }) => message).join(" ");
  if (found === undefined) {
    return `none: ${failed}`;
  }
  if (typeof found === "string") {
    return `thrown: ${found} (${failed})`;
  }
  return `answer${found.wasAlone ? "" : " of two"} (${failed})`;
}

test.each<[Server[], string]>([
  [[], "none: "],
  [["answers", "waits"], "answer ()"],
  [["cannot", "breaks", "answers"], "answer (cannot breaks)"],
  [["cannot", "cannot"], "none: cannot cannot"],
  [["stops", "answers"], "none: stops"],
  [["cannot", "refuses", "answers"], "thrown: refuses (cannot refuses)"],
])("asks %j one after the other", async (servers, expected) => {
  expect(await outcome(servers)).toBe(expected);
});

test.each<[Server[], boolean, string, string[]]>([
  [["waits", "answers"], true, "answer of two ()", ["won"]],
  [["waits", "breaks", "answers"], true, "answer of two (breaks)", ["lost"]],
  [["waits", "cannot", "answers"], true, "answer of two (cannot)", ["won"]],
  [["waits", "cannot"], true, "never", []],
  [["answers", "waits"], true, "answer ()", []],
  [["waits", "answers"], false, "never", []],
])("asks a second of %j after a while, if it may (%s)", async (servers, may, expected, told) => {
  const ends: string[] = [];
  const hedge = { afterMs: 0, may: () => may, ended: (isWon: boolean) => ends.push(isWon ? "won" : "lost") };
  const turns = new Promise<string>((resolve) => setTimeout(() => resolve("never"), 50));
  expect(await Promise.race([outcome(servers, hedge), turns])).toBe(expected);
  expect(ends).toEqual(told);
});
