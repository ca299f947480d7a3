import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { wantsTable } from "../common-options.ts";
import { deletionOrderOf } from "../deletion-order.ts";
import { timeText } from "../output/figures.ts";
import { shownText, tableText } from "../output/table.ts";
import { write, writeJsonLines } from "../output/write.ts";

const path = "/api/deletion/v1/jobs";
const lookMs = 500;

/** A job of the API. Its texts come from a server. */
interface Job {
  readonly id: string;
  readonly state: string;
  readonly user: string;
  readonly deletes: boolean;
  readonly created: number;
  readonly progress?: { readonly table: string; readonly partsToDo: number };
  readonly traces?: number;
  readonly tables?: Readonly<Record<string, { readonly rows: number; readonly remaining: number }>>;
  readonly away?: readonly string[];
  readonly proof?: readonly string[];
  readonly error?: string;
}

/** `tracing delete`: counts spans, or deletes them with `--yes`; also lists, shows and cancels such jobs. */
export const deleteCommand: Command = {
  name: "delete",
  operands: "[jobs | show <job> | cancel <job>]",
  operandCounts: [0, 2],
  meaning: "Delete the spans of traces, a user, a time or the tenant; without --yes only count them.",
  options: {
    "trace-id": {
      ...{ type: "string", multiple: true, placeholder: "id,…" },
      meaning: "Spans of these traces: 16 or 32 hex digits each, at most 1,500.",
    },
    attribute: {
      ...{ type: "string", multiple: true, placeholder: "key=value" },
      meaning: "Spans with this attribute, on themselves, their resource or an event.",
    },
    start: {
      ...{ type: "string", multiple: true, placeholder: "time" },
      meaning:
        "Spans that start at this time or later: 2026-01-31T12:00:00Z, or seconds since the Unix epoch.",
    },
    end: {
      type: "string",
      multiple: true,
      placeholder: "time",
      meaning: "Spans that start before this time.",
    },
    "whole-tenant": { type: "boolean", meaning: "All that is stored of the tenant; alone." },
    yes: { type: "boolean", meaning: "Delete; without it the spans are only counted." },
  },
  examples: [
    "tracing delete --attribute user.id=ann",
    "tracing delete --attribute user.id=ann --yes",
    "tracing delete jobs",
  ],
  async run(context) {
    const { client, operands, output, values } = context;
    const [verb, id, ...more] = operands;
    const named = ["trace-id", "attribute", "start", "end"].some((name) => values.list(name).length > 0);
    if (verb === undefined) {
      const order = deletionOrderOf(values);
      return await follow(context, await client.post<Job>(path, { ...order, delete: values.flag("yes") }));
    }
    if (named || values.flag("whole-tenant") || values.flag("yes")) {
      throw new CliError(`conditions and --yes do not go with ${JSON.stringify(verb)}`, 2);
    }
    if (verb === "jobs" && id === undefined) {
      const { jobs } = await client.json<{ readonly jobs: readonly Job[] }>(path);
      await (wantsTable(values, context)
        ? write(output, tableText(columns, jobs.map(rowOf), output.columns))
        : writeJsonLines(output, jobs));
      return 0;
    }
    if ((verb === "show" || verb === "cancel") && id !== undefined && more.length === 0) {
      const address = `${path}/${encodeURIComponent(id)}`;
      return await show(
        context,
        await (verb === "show" ? client.json<Job>(address) : client.post<Job>(`${address}/cancel`, {})),
      );
    }
    throw new CliError("usage: tracing delete [jobs | show <job> | cancel <job>] [options]", 2);
  },
};

const columns = [
  { title: "JOB" },
  { title: "CREATED" },
  { title: "STATE" },
  { title: "DELETES" },
  { title: "USER" },
];

function rowOf({ id, created, state, deletes, user }: Job): string[] {
  return [id, timeText(created / 1_000), state, deletes ? "yes" : "counts only", user];
}

/** Waits until the job ends, and shows it. A command that is stopped says how to cancel the job, which goes on. */
async function follow(context: CommandContext, begun: Job): Promise<number> {
  const { client, errors, signal } = context;
  let job = begun;
  let told = "";
  try {
    while (job.state === "waiting" || job.state === "running") {
      await sleep(lookMs, undefined, { signal });
      job = await client.json<Job>(`${path}/${encodeURIComponent(job.id)}`);
      const { table, partsToDo } = job.progress ?? {};
      const text = table === undefined ? `${job.state}` : `${table}: ${partsToDo} parts to rewrite`;
      if (errors.isTTY === true && text !== told) {
        told = text;
        await write(errors, `\r\x1b[K${shownText(text)}`);
      }
    }
  } catch (error) {
    await write(errors, `the job goes on; to cancel it: tracing delete cancel ${shownText(job.id)}\n`);
    throw error;
  } finally {
    if (told !== "") {
      await write(errors, "\r\x1b[K");
    }
  }
  const code = await show(context, job);
  // Somebody else cancelled it.
  return job.state === "cancelled" ? 1 : code;
}

/** @returns exit code: 1 for an incomplete or failed job, otherwise 0 */
async function show(context: CommandContext, job: Job): Promise<number> {
  const { output, values } = context;
  await (wantsTable(values, context)
    ? write(output, `${linesOf(job).map(shownText).join("\n")}\n`)
    : writeJsonLines(output, [job]));
  return ["incomplete", "failed"].includes(job.state) ? 1 : 0;
}

function linesOf({ id, state, deletes, traces, tables = {}, away = [], proof = [], error }: Job): string[] {
  const found = Object.entries(tables).filter(([, { rows }]) => rows > 0);
  return [
    `job ${id}: ${state}${error === undefined ? "" : `: ${error}`}`,
    ...found.map(([table, { rows, remaining }]) =>
      deletes ? `${table}: ${rows - remaining} rows deleted, ${remaining} left` : `${table}: ${rows} rows`,
    ),
    ...(traces === undefined
      ? []
      : [`spans of ${traces} traces${deletes ? "" : "; nothing is deleted without --yes"}`]),
    ...away.map((server) => `${server}: away; it deletes when it is back`),
    ...(deletes ? proof.map((statement) => `proof, counts 0: ${statement}`) : []),
  ];
}
