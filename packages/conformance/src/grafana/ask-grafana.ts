import { expectEqual, expectIncludes } from "../expect.ts";
import type { Corpus } from "../tempo-api/corpus.ts";
import { parseExactJson } from "../tracing-api/comparison/exact-json.ts";
import { comparableFrame } from "./comparable-frame.ts";
import { type DataSourceSettings, PluginClient, type QueryRange } from "./plugin-client.ts";
import type { PluginProcess } from "./plugin-process.ts";
import type { GrafanaQuestion } from "./question.ts";

/** A data source's result for one question. */
export interface GrafanaAnswer {
  /** The frames as Grafana shows them, in a form that can be compared. */
  readonly shown: unknown;
  /** The reason when the answer does not meet the question's expectation. */
  readonly failure?: string;
}

const asIs = { fromMs: 0, toMs: 0 };

/** The range from a minute before the base of the corpus to three minutes after it. */
export function rangeOf({ baseUnixNano }: Corpus): QueryRange {
  const baseMs = Number(baseUnixNano / 1_000_000n);
  return { fromMs: baseMs - 60_000, toMs: baseMs + 180_000 };
}

/** Asks one question through a data source. */
export async function askGrafana(
  process: PluginProcess,
  settings: DataSourceSettings,
  question: GrafanaQuestion,
  corpus: Corpus,
): Promise<GrafanaAnswer> {
  const { jsonData, toggles, withoutTimes } = question;
  const all = { ...settings, jsonData: { ...settings.jsonData, ...jsonData } };
  const client = new PluginClient(process, all, toggles);
  const range = withoutTimes === true ? asIs : rangeOf(corpus);
  const { error, found } = await call(client, question, range, corpus);
  // When several values do not fit, Go's message names any of them, so the names are removed.
  const shownError = error?.replace(/cannot unmarshal .*/, "cannot unmarshal …");
  const shown = error === undefined ? comparableFrame(found, corpus) : { error: shownError };
  try {
    expectAnswer(question, error, shown);
    return { shown };
  } catch (failure) {
    return { shown, failure: (failure as Error).message };
  }
}

async function call(
  client: PluginClient,
  { health, resource, query = {}, stream }: GrafanaQuestion,
  range: QueryRange,
  { baseUnixNano }: Corpus,
): Promise<{ error?: string | undefined; found: unknown }> {
  if (health === true) {
    return { found: await client.checkHealth() };
  }
  if (resource !== undefined) {
    const seconds = (offset: string) => String(Number(baseUnixNano / 1_000_000_000n) + Number(offset));
    const path = resource.replaceAll(
      /(start|end)=(-?\d+)/g,
      (_, name, offset) => `${name}=${seconds(offset)}`,
    );
    const { status, body } = await client.callResource(path);
    return status === 200
      ? { found: parseExactJson(body) }
      : { error: `${status} ${body.trim()}`, found: undefined };
  }
  if (stream !== undefined) {
    const { error, result, states } = await client.stream(stream, query, range);
    if (error === undefined) {
      expectEqual(states.at(-1), "done", "the last state");
    }
    return { error, found: result };
  }
  const { error, frames } = await client.query(query, range);
  return { error, found: frames };
}

function expectAnswer(
  { finds = "something", with: parts = [] }: GrafanaQuestion,
  error: string | undefined,
  shown: unknown,
): void {
  if (typeof finds === "object") {
    expectIncludes(error ?? "(no error)", finds.error, "the error");
    return;
  }
  expectEqual(error, undefined, "an error");
  const text = JSON.stringify(shown);
  expectEqual(isEmpty(shown), finds === "nothing", `nothing found (${text.slice(0, 300)})`);
  for (const part of parts) {
    expectIncludes(text, part, "the answer");
  }
}

/** True when no frame has a row, no list has an element, and there is no text. */
function isEmpty(shown: unknown): boolean {
  if (Array.isArray(shown)) {
    return shown.every(isEmpty);
  }
  if (typeof shown !== "object" || shown === null) {
    return shown === null || shown === "";
  }
  if ("rows" in shown) {
    return isEmpty(shown.rows);
  }
  return Object.values(shown).every(isEmpty);
}
