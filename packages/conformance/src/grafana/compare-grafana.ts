import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, expectEqual } from "../expect.ts";
import { corpusNow, differencesOf, sendCorpus } from "../tempo-api/compare-tempo.ts";
import type { Corpus } from "../tempo-api/corpus.ts";
import { startOurTempo } from "../tempo-api/our-tempo.ts";
import { ask } from "../tracing-api/ask.ts";
import type { Answers, Difference } from "../tracing-api/comparison/answers.ts";
import { type KnownDifference, readKnownDifferences } from "../tracing-api/comparison/known-differences.ts";
import { findPublicModel, startPublicModel } from "../tracing-api/comparison/public-model.ts";
import { askGrafana } from "./ask-grafana.ts";
import { jaegerQuestions } from "./jaeger-questions.ts";
import type { DataSourceSettings } from "./plugin-client.ts";
import { type DataSourceType, dataSourceTypes, type PluginProcess, startPlugin } from "./plugin-process.ts";
import { provisionedDataSource } from "./provisioned-data-sources.ts";
import type { GrafanaQuestion } from "./question.ts";
import { tempoQuestions } from "./tempo-questions.ts";

/** Paths of the data sources' programs that were found. */
export type Plugins = Readonly<Partial<Record<DataSourceType, string>>>;

/** Number of questions, and the outcome. */
export interface GrafanaResult {
  readonly questions: number;
  /** Names of questions whose answer differs from the expected answer, with the reason. */
  readonly failures: readonly { readonly name: string; readonly failure: string }[];
  /** Data sources whose public model was found, so that the answers were compared with it. */
  readonly models: readonly DataSourceType[];
  readonly differences: readonly Difference[];
}

const knownFile = new URL("../../known-grafana-differences.json", import.meta.url);

export const readKnownGrafanaDifferences = (): KnownDifference[] => readKnownDifferences(knownFile);

/**
 * Starts our storage, collector and query service and Grafana's data sources. It sends spans, and sends through the
 * data sources the same questions as their pages in Grafana. Then it repeats this with Jaeger, if Jaeger's program is
 * installed.
 * @param models folder with `jaeger-all-in-one`; by default the usual places are searched
 */
export async function compareGrafana(plugins: Plugins, models?: string): Promise<GrafanaResult> {
  const corpus = corpusNow();
  const questions = [...jaegerQuestions(corpus.traceIds), ...tempoQuestions(corpus.traceIds)].filter(
    ({ of }) => plugins[of] !== undefined,
  );
  const processes: Partial<Record<DataSourceType, PluginProcess>> = {};
  try {
    for (const type of dataSourceTypes) {
      const program = plugins[type];
      if (program !== undefined) {
        processes[type] = await startPlugin(program);
      }
    }
    const ours = await askOurs(processes, questions, corpus);
    const theirs: Record<string, unknown> = {};
    const compared: DataSourceType[] = [];
    for (const type of dataSourceTypes) {
      const process = processes[type];
      const of = questions.filter((question) => question.of === type);
      const model = process === undefined ? undefined : await askModel(type, process, of, corpus, models);
      if (model === undefined) {
        continue;
      }
      compared.push(type);
      Object.assign(theirs, model);
    }
    const shown = Object.fromEntries(
      Object.entries(ours)
        .filter(([name]) => Object.hasOwn(theirs, name))
        .map(([name, answer]) => [name, answer.shown]),
    );
    return {
      questions: questions.length,
      failures: Object.entries(ours).flatMap(([name, { failure }]) =>
        failure === undefined ? [] : [{ name, failure }],
      ),
      models: compared,
      differences: differencesOf(theirs, shown),
    };
  } finally {
    await Promise.all(Object.values(processes).map((process) => process.close()));
  }
}

type Processes = Readonly<Partial<Record<DataSourceType, PluginProcess>>>;

async function askOurs(
  processes: Processes,
  questions: readonly GrafanaQuestion[],
  corpus: Corpus,
): Promise<Record<string, Awaited<ReturnType<typeof askGrafana>>>> {
  const backend = await startOurTempo();
  try {
    await sendCorpus(backend, corpus);
    const base = backend.tempo.replace(/\/tempo$/, "");
    const answers: Record<string, Awaited<ReturnType<typeof askGrafana>>> = {};
    for (const question of questions) {
      const settings = provisionedDataSource(question.of, base);
      const process = processes[question.of];
      if (process === undefined) {
        continue;
      }
      answers[question.name] = await askGrafana(process, settings, question, corpus).catch(
        (error: Error) => ({ shown: { error: error.message }, failure: error.message }),
      );
    }
    return answers;
  } finally {
    await backend.close();
  }
}

/** The answers that the data source gives with its own model; undefined when the model's program is not installed. */
async function askModel(
  type: DataSourceType,
  process: PluginProcess,
  questions: readonly GrafanaQuestion[],
  corpus: Corpus,
  models: string | undefined,
): Promise<Answers | undefined> {
  // Tempo's answers are compared by compare-tempo.ts, without Grafana.
  const model = type === "jaeger" ? await startJaegerModel(models, corpus) : undefined;
  if (model === undefined) {
    return undefined;
  }
  try {
    const settings: DataSourceSettings = { ...provisionedDataSource(type, ""), url: model.url };
    const answers: Record<string, unknown> = {};
    for (const question of questions) {
      const { shown } = await askGrafana(process, settings, question, corpus).catch((error: Error) => ({
        shown: { error: error.message },
      }));
      answers[question.name] = shown;
    }
    return answers;
  } finally {
    await model.close();
  }
}

interface Model {
  readonly url: string;
  close(): Promise<void>;
}

async function startJaegerModel(models: string | undefined, corpus: Corpus): Promise<Model | undefined> {
  const found = findPublicModel(models);
  if (found === undefined) {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "grafana-jaeger-"));
  const strategies = join(folder, "strategies.json");
  writeFileSync(strategies, "{}");
  const backend = await startPublicModel(found, strategies);
  const close = async () => {
    await backend.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const { otlpHttp, query } = backend.addresses;
  try {
    for (const body of corpus.exports) {
      const { status } = await ask(`http://${otlpHttp}/v1/traces`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      expectEqual(status, 200, "POST /v1/traces");
    }
    for (const id of corpus.traceIds) {
      await eventually(
        async () =>
          expectEqual((await ask(`http://${query}/api/traces/${id}`)).status, 200, `${id} is found`),
        30_000,
      );
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://${query}`, close };
}
